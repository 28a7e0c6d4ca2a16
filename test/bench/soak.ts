import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../support/processes.ts";
import { startWeir, type Weir } from "../support/weir.ts";
import { liveFiles, smallFiles } from "./compaction.ts";
import { MAPPING, runImport, WEIR, writeEvents } from "./import.ts";
import { findKnee } from "./knee.ts";
import { pace } from "./pace.ts";
import { folderBytes, percentile, rounded } from "./report.ts";
import { during, type Sample } from "./weirMemory.ts";

export interface SoakOptions {
  /** After the warm-up. */
  seconds: number;
}

/** Parts of one length after the warm-up; in each, and in those of the warm-up, the same work is done beside the load. */
const PARTS = 3;
/** After so many events compaction merges files of every tier. Parts before that see its work begin. */
const WARM_UP_EVENTS = 5_000_000;
const KEPT_EVENTS = 300_000;
const IMPORTED_EVENTS = 100_000;
const QUESTIONS_EVERY_MS = 5_000;
const DELETION_EVERY_MS = 30_000;
const FILES_EVERY_MS = 10_000;
const MEMORY_EVERY_MS = 2_000;
const DRAIN_MS = 300_000;
const LIMITS = { slopeMiBPerMinute: 1, captureP99Drift: 1.2, filesGrowth: 1.25, failedMerges: 0 };
const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;

/** A time of day after the beginning, and what was measured then. */
type Timed = [atMs: number, value: number];

/**
 * A Weir at half of what it can take, for a long time, while people ask, import and delete: whether memory, files and times of answers
 * stay what they are. What it can take is measured first, on the same machine and
 * with the same requests.
 */
export async function benchSoak(o: SoakOptions): Promise<object> {
  const knee = await findKnee();
  const eventsPerSecond = Math.round(knee.eventsPerSecond / 2);
  const partSeconds = o.seconds / PARTS;
  const warmUpParts = Math.ceil(WARM_UP_EVENTS / (eventsPerSecond * partSeconds));
  const parts = warmUpParts + PARTS;
  const seconds = parts * partSeconds;
  const partMs = partSeconds * 1_000;
  console.error(`${knee.eventsPerSecond} events/s are too many; ${seconds} s of ${eventsPerSecond} begin`);
  const folder = mkdtempSync(join(tmpdir(), "weir-bench-soak-"));
  try {
    await using weir = await startWeir({ command: [WEIR, "start"] });
    const imports = new Imports(weir, folder);
    await imports.run(KEPT_EVENTS);
    const questions = new Questions(weir, await questionsOf(weir));
    await weir.enterFreshProject();
    const files: Timed[] = [];
    const lakeBytes: Timed[] = [];
    const logged = new NewLines(weir);
    const work = (atMs: () => number) => ({
      load: pace(weir, eventsPerSecond, seconds),
      questions: every(QUESTIONS_EVERY_MS, seconds, () => questions.ask(atMs)),
      deletions: every(DELETION_EVERY_MS, seconds, () => deleteSomebody(weir)),
      imports: every(partMs, seconds, () => imports.run(IMPORTED_EVENTS)),
      files: every(FILES_EVERY_MS, seconds, async () => {
        files.push([atMs(), smallFiles(weir)]);
        lakeBytes.push([atMs(), folderBytes(join(weir.dataDir, "lake"))]);
        logged.read(atMs());
      }),
    });
    const beganMs = performance.now();
    const running = work(() => Math.round(performance.now() - beganMs));
    const { samples } = await during(weir, Promise.all(Object.values(running)), MEMORY_EVERY_MS);
    const load = await running.load;
    await until("all events to be stored", DRAIN_MS, async () => (await weir.ingestionStatus()).queued === 0);
    if (load.refused > 0) throw new Error(`${load.refused} requests were refused`);
    const expected = load.sent + IMPORTED_EVENTS * (await running.imports);
    await expectAll(weir, expected);
    const filesInTheEnd = await liveFiles(weir);
    const captures = partsOf(load.latencies, parts, partMs);
    const filesByPart = partsOf(files, parts, partMs).map((values) => Math.max(...values));
    const slopes = slopesOf(samples, warmUpParts * partMs);
    const found = {
      slopeMiBPerMinute: Math.max(...Object.values(slopes)),
      captureP99Drift: rounded(percentile(captures.at(-1)!, 0.99) / percentile(captures[warmUpParts]!, 0.99), 2),
      filesGrowth: rounded(filesByPart.at(-1)! / filesByPart[warmUpParts]!, 2),
      failedMerges: logged.lines.filter(([, line]) => / compaction .*failed/.test(line)).length,
    };
    return {
      ...{ bench: "soak", seconds, warmUpParts, eventsPerSecond, knee, events: expected },
      deletions: await running.deletions,
      ...{ limits: LIMITS, found },
      isMet: Object.entries(LIMITS).every(([name, limit]) => found[name as keyof typeof found] <= limit),
      captureMsByPart: captures.map((values) => percentiles(values)),
      questionMsByPart: Object.fromEntries(
        [...questions.times].map(([name, times]) => [name, partsOf(times, parts, partMs).map(percentiles)]),
      ),
      filesByPart,
      filesInTheEnd,
      slopesMiBPerMinute: slopes,
      memoryMiB: { median: memoryByMinute(samples, 0.5), highest: memoryByMinute(samples, 1) },
      files,
      lakeBytes,
      logged: logged.lines,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Does something at even times until the time is over, one after the other; gives how often. */
async function every(pauseMs: number, seconds: number, act: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  let times = 0;
  for (; times * pauseMs < seconds * 1_000; times++) {
    await Bun.sleep(Math.max(0, beganMs + times * pauseMs - performance.now()));
    await act();
  }
  return times;
}

/** What a Weir logs, with the time since the beginning when it was read: each job of compaction has a line at its end. */
class NewLines {
  readonly lines: [atMs: number, line: string][] = [];
  private readFrom: number;

  constructor(private readonly weir: Weir) {
    this.readFrom = weir.output.length;
  }

  read(atMs: number): void {
    const end = this.weir.output.lastIndexOf("\n") + 1;
    const lines = this.weir.output.slice(this.readFrom, end).split("\n").slice(0, -1);
    this.lines.push(...lines.map((line): [number, string] => [atMs, line]));
    this.readFrom = end;
  }
}

/** Imports of new events of a year into the project that the Weir's client is in. */
class Imports {
  private readonly map: string;

  constructor(
    private readonly weir: Weir,
    private readonly folder: string,
  ) {
    this.map = join(folder, "map.json");
    writeFileSync(this.map, JSON.stringify({ ...MAPPING, uuid: "uuid" }));
  }

  async run(events: number): Promise<void> {
    const path = join(this.folder, `${crypto.randomUUID()}.jsonl`);
    await writeEvents(path, events);
    await runImport(this.weir, path, this.map, events);
    rmSync(path);
  }
}

type Question = [name: string, query: Record<string, unknown>];

/** Asked of a project that gets nothing new, so that their work stays the same. */
async function questionsOf(weir: Weir): Promise<Question[]> {
  const { results } = await weir.query("SELECT DISTINCT event FROM events ORDER BY event LIMIT 3");
  const steps = results.map(([event]) => ({ kind: "EventsNode", event }));
  const dateRange = { date_from: "-1y" };
  const target = { targetEntity: { id: steps[0]!.event, type: "events" } };
  const returning = { returningEntity: { id: steps[1]!.event, type: "events" } };
  return [
    ["trend", { kind: "TrendsQuery", series: [{ ...steps[0], math: "dau" }], dateRange }],
    ["funnel", { kind: "FunnelsQuery", series: steps, dateRange }],
    [
      "retention",
      {
        kind: "RetentionQuery",
        dateRange,
        retentionFilter: { ...target, ...returning, period: "Week", totalIntervals: 11 },
      },
    ],
  ];
}

class Questions {
  readonly times = new Map<string, Timed[]>();
  private readonly path: string;

  constructor(
    private readonly weir: Weir,
    private readonly questions: Question[],
  ) {
    this.path = `/api/environments/${weir.environmentId}/query/`;
  }

  async ask(atMs: () => number): Promise<void> {
    for (const [name, query] of this.questions) {
      const [at, beganMs] = [atMs(), performance.now()];
      const { status, json } = await this.weir.manage("POST", this.path, { query, refresh: "force_blocking" });
      if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(json)}`);
      this.times.set(name, [...(this.times.get(name) ?? []), [at, performance.now() - beganMs]]);
    }
  }
}

/** A person of the newest events goes, with all events. */
async function deleteSomebody(weir: Weir): Promise<void> {
  const newest = "SELECT person_id FROM events WHERE timestamp > now() - INTERVAL 1 MINUTE LIMIT 1";
  const [[personId] = []] = (await weir.query(newest)).results as [string][];
  // Nothing is stored yet.
  if (personId === undefined) return;
  const path = `/api/environments/${weir.environmentId}/persons/${personId}/?delete_events=true`;
  const { status } = await weir.manage("DELETE", path);
  if (status !== 202) throw new Error(`a person was not deleted: ${status}`);
}

/** Events that waited when their person was deleted are dropped; all others are stored once. */
async function expectAll(weir: Weir, expected: number): Promise<void> {
  const status = await weir.ingestionStatus();
  const { accepted, stored, dropped_by_cause } = status;
  const { deleted = 0, ...otherwise } = dropped_by_cause;
  if (accepted !== expected || stored + deleted !== expected || Object.keys(otherwise).length > 0)
    throw new Error(`${expected} events were sent, but: ${JSON.stringify(status)}`);
}

function partsOf(timed: readonly Timed[], parts: number, partMs: number): number[][] {
  return Array.from({ length: parts }, (_, part) =>
    timed.filter(([atMs]) => Math.floor(atMs / partMs) === part).map(([, value]) => value),
  );
}

const percentiles = (values: readonly number[]) => ({
  count: values.length,
  p50: rounded(percentile(values, 0.5)),
  p95: rounded(percentile(values, 0.95)),
  p99: rounded(percentile(values, 0.99)),
});

/**
 * Of the highest memory of each process alone in each minute after the warm-up: the straight line that fits best, in MiB a minute. What a
 * process holds on to raises it; how much of a minute a compactor works, which grows with the data, does not.
 */
function slopesOf(samples: readonly Sample[], fromMs: number): Record<string, number> {
  const peaks = memoryByMinute(
    samples.filter(({ atMs }) => atMs >= fromMs),
    1,
  );
  return Object.fromEntries(
    Object.entries(peaks).map(([name, values]) => [
      name,
      rounded(slopeOf(values.map((value, minute): Timed => [minute, value])), 2),
    ]),
  );
}

function slopeOf(points: readonly Timed[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const of = (y: (point: Timed) => number) => points.reduce((sum, point) => sum + (point[0] - meanX) * y(point), 0);
  return of((point) => point[1] - meanY) / of((point) => point[0] - meanX);
}

/** Of each process a percentile of each minute, MiB; the last minute only where it is a whole one. */
function memoryByMinute(samples: readonly Sample[], share: number): Record<string, number[]> {
  const minutes = [...Map.groupBy(samples, ({ atMs }) => Math.floor(atMs / MINUTE_MS)).values()];
  const whole = minutes.filter((at) => at.length > (0.8 * MINUTE_MS) / MEMORY_EVERY_MS);
  const names = [...new Set(samples.flatMap(({ processes }) => Object.keys(processes)))].toSorted();
  const ofMinute = (name: string, at: readonly Sample[]) =>
    rounded(
      percentile(
        at.map(({ processes }) => (processes[name] ?? 0) / MIB),
        share,
      ),
    );
  return Object.fromEntries(names.map((name) => [name, whole.map((at) => ofMinute(name, at))]));
}
