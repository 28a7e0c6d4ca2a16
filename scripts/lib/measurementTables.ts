/** docs/measurements.md: tables of the JSON files that `scripts/bench … --json` wrote into docs/measurements. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mib, ms, table, whole } from "./markdown.ts";
import { faults, merged, restarted, restored, simulated, soaked } from "./operationTables.ts";

const FOLDER = new URL("../../docs/measurements", import.meta.url).pathname;

interface Times {
  p50Ms: number;
  p95Ms: number;
}

/** What every result file carries. */
interface Result {
  bench: string;
  commit: string;
  date: string;
  machine: { cpu: string; cores: number; memoryBytes: number };
  bun: string;
  events: number;
}

interface Front extends Result {
  runs: number;
  scenarios: {
    batchSize: number;
    encoding: string;
    eventsPerSecond: number;
    cpuUsPerEvent: number;
    runs: { requestMs: { p50: number; p99: number } }[];
  }[];
}

interface Ingest extends Result {
  workers: number;
  medianEventsPerSecond: number;
  runs: {
    eventsPerSecond: number;
    acknowledgedPerSecond: number;
    requestMs: { p50: number; p99: number };
    cpuUsPerEvent: Record<string, number>;
    peakBytes: Record<string, number>;
    lakeBytesPerEvent: number;
  }[];
}

interface Scaling extends Result {
  runs: {
    partitions: number;
    workers: number;
    eventsPerSecond: number;
    workersCpuUsPerEvent: number;
    cpuUsPerEvent: Record<string, number>;
    requestMs: { p99: number };
  }[];
}

interface Manage extends Result {
  cachedRetrieve: Times & { connections: number; perSecond: number; p99Ms: number; cpuUsPerRequest: number };
  blockingTrend: Times & { p99Ms: number };
  blockingTrendDuringMigration: Times & { p99Ms: number; migratedPerSecond: number };
}

interface Contest extends Result {
  persons: number;
  days: number;
  answers: {
    question: string;
    engines: Record<string, { warm: Times; cold: Times } | undefined>;
    ratios: Record<"warm" | "cpu" | "cold", Record<string, number>>;
  }[];
}

interface Judged extends Times {
  limit: number;
}

interface Pages extends Result {
  slowdown: number;
  firstPages: Record<"home" | "question", { weight: { bytes: number; limit: number }; usable: Judged }>;
  /** Absent in measurements from before there was one. */
  sql?: { weight: { bytes: number; limit: number }; scroll: Times & { rows: number } };
  board: Judged & { tiles: number };
  trend: Judged;
  picker: Times;
  /** Absent in measurements from before there was one. */
  live?: Live;
}

interface Live {
  seconds: number;
  eventsPerSecond: number;
  memory: { samples: { atS: number; heapBytes: number }[]; growth: number };
  scroll: Record<"beside" | "emptyPageBeside" | "withoutLoad", Frames>;
  paintedAfter: Times;
  cpuUsPerEvent: Record<"alone" | "beside", Record<string, number>>;
  polls: Record<"byCommits" | "byTime", Times>;
}

interface Frames extends Times {
  frames: number;
  late: { frames: number; ofThePage: number };
  mainThread: { cpuP50Ms: number; cpuP95Ms: number };
  browserCpuP50Ms: number;
}

interface ImportRun {
  eventsPerSecond: number;
  importer: { cpuUsPerEvent: number; peakBytes: number };
  weirCpuUsPerEvent: Record<string, number>;
  liveMs: { p50: number; p95: number };
}

interface Import extends Result {
  bytesPerEvent: number;
  liveAloneMs: { p95: number };
  runs: Record<"withIds" | "again" | "withoutIds", ImportRun>;
}

interface Bytes {
  medianBytes: number;
  peakBytes: number;
}

interface Phase {
  all: Bytes;
  files: Bytes;
  processes: Record<string, Bytes>;
}

interface Memory extends Result {
  bytesPerEvent: number;
  import: { eventsPerSecond: number };
  phases: Record<"idle" | "importing" | "compacting" | "after", Phase>;
}

const COLUMN_TITLES: Record<string, string> = {
  ideal: "one ideal file",
  json: "one file of JSON text",
  clickhouseColumns: "ClickHouse, columns",
  clickhouseJson: "ClickHouse, JSON",
};

function front({ scenarios, runs, events }: Front): string {
  const rows = scenarios.map(({ batchSize, encoding, eventsPerSecond, cpuUsPerEvent, runs }) => {
    const { requestMs } = runs[Math.floor(runs.length / 2)]!;
    return [batchSize, encoding, whole(eventsPerSecond), cpuUsPerEvent, ms(requestMs.p50), ms(requestMs.p99)];
  });
  return `How many events a second the front acknowledges. ${whole(events)} events a scenario, ${runs} runs; medians.

${table(["events a request", "body", "events/s", "CPU µs an event", "p50 ms", "p99 ms"], rows)}`;
}

function ingest({ runs, events, workers }: Ingest): string {
  const rates = runs.map((run) => [
    ...[whole(run.eventsPerSecond), whole(run.acknowledgedPerSecond), run.requestMs.p50, run.requestMs.p99],
    run.lakeBytesPerEvent,
  ]);
  const [first] = runs;
  const names = Object.keys(first!.cpuUsPerEvent).filter((name) => runs.some((run) => run.cpuUsPerEvent[name]! > 0));
  const costs = names.map((name) => [
    name,
    runs.map((run) => run.cpuUsPerEvent[name]).join(", "),
    runs.map((run) => mib(run.peakBytes[name]!)).join(", "),
  ]);
  return `From the first byte sent to the last event in an answer: ${whole(events)} events of 1 KB in batches of 1,000, ${workers} worker.
Each run begins with an empty Weir.

${table(["drained, events/s", "acknowledged, events/s", "p50 ms", "p99 ms", "bytes an event on disk"], rates)}

${table(["process", "CPU µs an event, by run", "peak memory, by run"], costs)}`;
}

function scaling({ runs, events, machine }: Scaling): string {
  const rows = runs.map(({ partitions, workers, eventsPerSecond, workersCpuUsPerEvent, cpuUsPerEvent, requestMs }) => {
    const { generator: _, ...weir } = cpuUsPerEvent;
    const all = Object.values(weir).reduce((sum, us) => sum + us, 0);
    return [
      partitions,
      workers,
      whole(eventsPerSecond),
      workersCpuUsPerEvent,
      ms(all),
      cpuUsPerEvent["nats-server"]!,
      requestMs.p99,
    ];
  });
  const titles = [
    "partitions",
    "workers",
    "drained, events/s",
    "CPU µs an event, workers",
    "whole Weir",
    "nats-server",
    "p99 ms",
  ];
  return `${whole(events)} events of 1 KB to a fresh Weir each time. The machine has ${machine.cores} cores for all processes and the sender, so more
workers cannot be quicker here; their CPU an event tells what more machines would give.

${table(titles, rows)}`;
}

function manage({ events, cachedRetrieve, blockingTrend, blockingTrendDuringMigration }: Manage): string {
  const { connections, perSecond, cpuUsPerRequest } = cachedRetrieve;
  const row = (name: string, { p50Ms, p95Ms, p99Ms }: Times & { p99Ms: number }) => [name, p50Ms, p95Ms, p99Ms];
  return `Weir on one core, ${whole(events)} events, ${connections} connections: ${whole(perSecond)} cached insights a second at
${cpuUsPerRequest} µs of CPU a request.

${table(
  ["question", "p50 ms", "p95 ms", "p99 ms"],
  [
    row("cached insight", cachedRetrieve),
    row("trend, calculated", blockingTrend),
    row(
      `trend, calculated beside a migration of ${whole(blockingTrendDuringMigration.migratedPerSecond)} events/s`,
      blockingTrendDuringMigration,
    ),
  ],
)}`;
}

function contest({ answers, events, persons, days }: Contest): string {
  const engines = Object.keys(COLUMN_TITLES).filter((engine) => answers.some(({ engines }) => engines[engine]));
  const rows = answers.map(({ question, engines: of, ratios }) => [
    question,
    of.weir!.warm.p50Ms,
    of.weir!.warm.p95Ms,
    of.weir!.cold.p50Ms,
    ...engines.map((engine) =>
      of[engine] === undefined ? "" : `${ratios.warm[engine]} (${ratios.cpu[engine]}), ${ratios.cold[engine]}`,
    ),
  ]);
  return `${whole(events)} events of ${whole(persons)} persons over ${days} days, two threads each, all answers equal. A ratio is Weir's median time
over the other's, warm; in brackets the same of CPU time, behind it that of first answers. Below 1 Weir is faster. Cold is the first answer of a new process.

${table(["question", "Weir p50 ms", "p95 ms", "cold p50 ms", ...engines.map((engine) => `beside ${COLUMN_TITLES[engine]}`)], rows)}`;
}

function pages({ events, slowdown, firstPages: { home, question }, sql, board, trend, picker, live }: Pages): string {
  const kb = (bytes: number) => `${whole(bytes / 1000)} KB`;
  const timed = (what: string, { p50Ms, p95Ms, limit }: Judged) => [what, ms(p50Ms), ms(p95Ms), limit];
  return `In Chromium, over ${whole(events)} events. A first visit is ${kb(home.weight.bytes)} over the wire for the home page, ${kb(question.weight.bytes)} for
a new insight (at most ${kb(home.weight.limit)}).${sql === undefined ? "" : sqlPage(sql)}

${table(
  ["from … to its last paint", "p50 ms", "p95 ms", "at most"],
  [
    timed(`opening the home page, CPU slowed ${slowdown} times`, home.usable),
    timed(`opening a new insight, CPU slowed ${slowdown} times`, question.usable),
    timed(`a click on a dashboard of ${board.tiles} tiles with answers in the cache`, board),
    timed("a choice in a trend that nobody has asked for yet", trend),
    ["a letter typed in the picker", ms(picker.p50Ms), ms(picker.p95Ms), ""],
  ],
)}${live === undefined ? "" : `\n\n${livePage(live)}`}`;
}

function livePage(live: Live): string {
  const { seconds, eventsPerSecond, memory, paintedAfter, cpuUsPerEvent, polls } = live;
  const { samples, growth } = memory;
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const cost = (role: string) =>
    `${cpuUsPerEvent.beside[role]} µs an event with the page open, ${cpuUsPerEvent.alone[role]} without`;
  return `The page of events was open beside ${whole(eventsPerSecond)} events/s for ${whole(seconds)} s, and counted each of them. An event was painted ${ms(paintedAfter.p50Ms)} ms after it was
accepted (p95 ${ms(paintedAfter.p95Ms)}). ${scrolling(live)}
Its memory after a collection of garbage was ${mib(first.heapBytes)} at ${first.atS} s and ${mib(last.heapBytes)} at ${last.atS} s (the last quarter beside the first: ${growth}).
CPU of the front: ${cost("front")}; of the API process: ${cost("api")}. A request while nothing comes takes ${ms(polls.byCommits.p50Ms)} ms;
the same question by the time of acceptance ${ms(polls.byTime.p50Ms)} ms, with ${whole(eventsPerSecond * seconds)} events stored.`;
}

/** Who was late: the page, or the machine. */
function scrolling({ scroll: { beside, emptyPageBeside: empty, withoutLoad } }: Live): string {
  const times = ({ p50Ms, p95Ms }: Frames) => `${ms(p50Ms)} ms from frame to frame (p95 ${ms(p95Ms)})`;
  const { cpuP50Ms, cpuP95Ms } = beside.mainThread;
  return `The browser was on the same machine, with priority over Weir and the load.
Scrolling took ${times(beside)}; without the load ${times(withoutLoad)}; an empty page beside the load ${times(empty)}.
The page's main thread worked ${ms(cpuP50Ms)} ms a frame (p95 ${ms(cpuP95Ms)}), all of the browser, which draws without a graphics card, ${ms(beside.browserCpuP50Ms)} ms. ${beside.late.frames} of ${whole(beside.frames)} frames were late, ${beside.late.ofThePage} of them by the work
of the page; of the empty page ${empty.late.frames} of ${whole(empty.frames)}.`;
}

const sqlPage = ({ weight, scroll }: NonNullable<Pages["sql"]>): string =>
  ` The page of SQL is ${whole(weight.bytes / 1000)} KB
(at most ${whole(weight.limit / 1000)} KB). Its table of ${whole(scroll.rows)} rows scrolls with ${ms(scroll.p50Ms)} ms from frame to frame (p95 ${ms(scroll.p95Ms)}).`;

const IMPORT_TITLES = {
  withIds: "events with ids",
  again: "the same again",
  withoutIds: "events without ids",
} as const;

function imported({ events, bytesPerEvent, liveAloneMs, runs }: Import): string {
  const rows = (["withIds", "again", "withoutIds"] as const).map((name) => {
    const { eventsPerSecond, importer, weirCpuUsPerEvent, liveMs } = runs[name];
    const weirUs = Object.values(weirCpuUsPerEvent).reduce((sum, us) => sum + us, 0);
    const costs = [importer.cpuUsPerEvent, ms(weirUs), mib(importer.peakBytes)];
    return [IMPORT_TITLES[name], whole(eventsPerSecond), ...costs, ms(liveMs.p95)];
  });
  return `From the start of \`weir import\` to its report, with the importer on the same machine: ${whole(events)} events of ${whole(bytesPerEvent)} bytes. Live events
that are sent meanwhile are in an answer after the time of the last column (p95; ${ms(liveAloneMs.p95)} ms without an import).

${table(["import of", "events/s", "CPU µs an event, importer", "CPU µs an event, Weir", "peak memory, importer", "live events, ms"], rows)}`;
}

const PHASES = [
  ["idle", "idle, new"],
  ["importing", "under an import"],
  ["compacting", "compacting"],
  ["after", "idle, after it"],
] as const;

function memory({ events, bytesPerEvent, import: { eventsPerSecond }, phases }: Memory): string {
  const cell = (bytes: Bytes | undefined) =>
    bytes === undefined ? "" : `${mib(bytes.medianBytes)} (${mib(bytes.peakBytes)})`;
  const names = [...new Set(PHASES.flatMap(([phase]) => Object.keys(phases[phase].processes)))].toSorted();
  const row = (title: string, of: (phase: Phase) => Bytes | undefined) => [
    title,
    ...PHASES.map(([phase]) => cell(of(phases[phase]))),
  ];
  const rows = [
    row("all together", ({ all }) => all),
    row("files that they map, counted once", ({ files }) => files),
    ...names.map((name) => row(name, ({ processes }) => processes[name])),
  ];
  return `A Weir as it is started by default, and \`weir import\` of ${whole(events)} events of ${whole(bytesPerEvent)} bytes (${whole(eventsPerSecond)} events/s; the importer is not
counted). Medians, and in brackets the highest of looks once a second.

${table(["process", ...PHASES.map(([, title]) => title)], rows)}`;
}

const SHOWN: Record<string, { title: string; show: (result: never) => string }> = {
  front: { title: "The front", show: front },
  ingest: { title: "Ingest", show: ingest },
  scaling: { title: "More workers", show: scaling },
  import: { title: "Import of a history", show: imported },
  memory: { title: "Memory of all processes", show: memory },
  lake: { title: "Ten questions to the lake", show: contest },
  trends: { title: "Fifteen trends", show: contest },
  pages: { title: "Pages in a browser", show: pages },
  live: { title: "Events as they come", show: livePage },
  insights: { title: "Funnels, retention, paths, stickiness and lifecycle", show: contest },
  manage: { title: "Insights over HTTP", show: manage },
  restarts: { title: "A rolling restart under load", show: restarted },
  faults: { title: "A cluster whose parts fail", show: faults },
  merges: { title: "Merges", show: merged },
  restore: { title: "Backup and restore", show: restored },
  seeds: { title: "Simulated faults", show: simulated },
  soak: { title: "A soak", show: soaked },
};

function section(file: string): string {
  const result = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Result;
  const shown = SHOWN[result.bench];
  if (shown === undefined) throw new Error(`${file}: there is no table for the bench "${result.bench}"`);
  const { commit, date, machine, bun } = result;
  return `## ${shown.title}

\`scripts/bench ${result.bench}\`, ${date.slice(0, 10)}, commit \`${commit.slice(0, 10)}\`, ${machine.cores} cores of ${machine.cpu} with
${whole(machine.memoryBytes / 1e9)} GB of memory, Bun ${bun}; [every raw time](measurements/${file}).

${shown.show(result as never)}`;
}

/** The page, as it belongs to the result files of this moment. */
export function measurementsPage(): string {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
  return `# Measurements

<!-- Written by scripts/docs from docs/measurements/*.json. Do not edit by hand. -->

Load generator and Weir share the machine. \`scripts/bench BENCH --json docs/measurements/BENCH.json\` measures again and
\`scripts/docs\` writes this page from the files. [Longer runs](measurements/2026-11-22.md) have figures for ten million events,
latency between lanes, hostile clients and restarts.

${files.toSorted().map(section).join("\n\n")}
`;
}
