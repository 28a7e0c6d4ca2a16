import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../src/types/mod.ts";
import { startWeir, type TrendsSeries, type Weir } from "../support/weir.ts";
import { liveFiles } from "./compaction.ts";
import { copyDataset } from "./dataset/copy.ts";
import type { Dataset } from "./dataset/dataset.ts";
import { untilMs, type Vocabulary } from "./dataset/vocabulary.ts";
import { folderBytes, summaryOf } from "./report.ts";
import type { DailyCounts } from "./secondEngine.ts";

export interface QueryOptions {
  events: number;
  /** Warm runs of each question. */
  runs: number;
}

const COLD_RUNS = 3;
const MATHS = ["total", "dau"] as const;
type Aggregate = (typeof MATHS)[number];

const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export function trendNode(v: Vocabulary, math: Aggregate): Record<string, unknown> {
  return {
    series: [{ kind: "EventsNode", event: v.names.page, math }],
    interval: "day",
    dateRange: {
      date_from: dayText(v.fromMs),
      date_to: dayText(untilMs(v) - DAY_MS),
    },
  };
}

async function timed(weir: Weir, v: Vocabulary, math: Aggregate): Promise<{ ms: number; series: TrendsSeries }> {
  const begun = performance.now();
  const [series] = await weir.trends(trendNode(v, math), "force_blocking");
  return { ms: Math.round((performance.now() - begun) * 10) / 10, series: series! };
}

/** Takes the files out of the page cache, without privileges. */
function evict(directory: string): void {
  for (const name of readdirSync(directory)) {
    Bun.spawnSync(["dd", `if=${join(directory, name)}`, "iflag=nocache", "count=0"], { stderr: "ignore" });
  }
}

function handWritten({ path }: Dataset): DailyCounts {
  const script = new URL("./secondEngine.ts", import.meta.url).pathname;
  const run = Bun.spawnSync([process.execPath, script, path], { stderr: "inherit" });
  if (run.exitCode !== 0) throw new Error("the second engine failed");
  return JSON.parse(run.stdout.toString()) as DailyCounts;
}

function check(math: Aggregate, series: TrendsSeries, expected: DailyCounts): void {
  const found = Object.fromEntries(series.days.map((day, i) => [day.slice(0, 10), series.data[i]!]));
  const days = new Set([...Object.keys(found), ...Object.keys(expected[math])]);
  const wrong = [...days].filter((day) => (found[day] ?? 0) !== (expected[math][day] ?? 0));
  if (wrong.length > 0) throw new Error(`${math} disagrees with hand-written SQL on ${wrong.slice(0, 3).join(", ")}`);
}

/** A daily trend over the data set: the first answer of a fresh Weir with cold files, then warm ones. */
export async function benchQuery(o: QueryOptions): Promise<object> {
  using copy = await copyDataset(o.events);
  const { dataDir, set } = copy;
  const { vocabulary } = set;
  await using weir = await startWeir({ dataDir });
  const cold: Record<Aggregate, number[]> = { total: [], dau: [] };
  const warm: Record<Aggregate, number[]> = { total: [], dau: [] };
  for (let i = 0; i < COLD_RUNS; i++) {
    for (const math of MATHS) {
      await weir.stop();
      evict(join(dataDir, "lake"));
      await weir.start();
      cold[math].push((await timed(weir, vocabulary, math)).ms);
    }
  }
  const expected = handWritten(set);
  for (let i = 0; i < o.runs; i++) {
    for (const math of MATHS) {
      const { ms, series } = await timed(weir, vocabulary, math);
      check(math, series, expected);
      warm[math].push(ms);
    }
  }
  const both = (times: Record<Aggregate, number[]>) => ({ total: summaryOf(times.total), dau: summaryOf(times.dau) });
  return {
    bench: "query",
    events: o.events,
    matchingEvents: Object.values(expected.total).reduce((sum, n) => sum + n, 0),
    days: vocabulary.days,
    files: await liveFiles(weir),
    lakeBytes: folderBytes(join(dataDir, "lake")),
    cold: both(cold),
    warm: both(warm),
  };
}
