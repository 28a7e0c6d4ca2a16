/** Tables of docs/measurements.md about running Weir: restarts, handovers, faults, merges, restores, soaks. */
import type { SeedsRun } from "../../test/bench/seeds.ts";
import { ms, table, whole } from "./markdown.ts";

export interface Restarts {
  events: number;
  restarts: {
    role: string;
    replacedMs: number;
    failedCaptures: Record<string, number>;
    longestCaptureMs: number;
    failedReads: Record<string, number>;
    longestReadMs: number;
  }[];
  /** Absent in measurements from before there was one. */
  handovers?: Handovers;
}

interface Recovery {
  acceptedMs: number;
  storedMs: number;
  backgroundMs: number;
}

export interface Faults {
  processes: number;
  all: { stored: number };
  faults: {
    fault: string;
    bitten: string;
    outlived: Recovery | null;
    recovered: Recovery;
    sent: number;
    accepted: number;
    stored: number;
    lost: number;
    twice: number;
    outOfOrder: number;
    failedCaptures: Record<string, number>;
    longestCaptureMs: number;
    failedReads: Record<string, number>;
    ended: string[];
  }[];
}

interface Handovers {
  killed: { workers: number; rounds: Handover[] }[];
  joined: Handover[];
  left: Handover[];
}

type Handover = Record<"storedMs" | "sharedMs" | "settledMs" | "longestMs", number>;

export interface Merges {
  sqlite: MergesInto;
  postgres: MergesInto;
}

interface MergesInto {
  liveMergeMs: Record<"alone" | "beside", { p50: number; worst: number }>;
  migrations: {
    merges: number;
    mergesPerSecond: number;
    storedPerSecond: number;
    cpuUsPerMerge: Record<string, number>;
    isBesideLive?: boolean;
  }[];
}

export interface Restore {
  events: number;
  questions: number;
  files: number;
  sizeBytes: number;
  backupSeconds: number;
  backupAgainSeconds: number;
  restoreSeconds: number;
  readySeconds: number;
  answersSeconds: number;
}

export interface Soak {
  events: number;
  seconds: number;
  /** Parts of the same length before those that are judged. */
  warmUpParts: number;
  eventsPerSecond: number;
  knee: { eventsPerSecond: number; steps: { eventsPerSecond: number; behindMs: number; compactingMs: number }[] };
  deletions: number;
  limits: Record<SoakFigure, number>;
  found: Record<SoakFigure, number>;
  captureMsByPart: { p50: number; p99: number }[];
  questionMsByPart: Record<string, { p50: number; p95: number }[]>;
  filesByPart: number[];
  filesInTheEnd: number;
  slopesMiBPerMinute: Record<string, number>;
  /** Of each process by minute. */
  memoryMiB: Record<"median" | "highest", Record<string, number[]>>;
}

type SoakFigure = "slopeMiBPerMinute" | "captureP99Drift" | "filesGrowth" | "failedMerges";

/** How each bench is shown; the cast is what `scripts/bench` promises by the name. */
const failures = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, times]) => `${times} × ${what}`)
    .join(", ") || "none";

export function restarted({ events, restarts, handovers }: Restarts): string {
  const rows = restarts.map((at) => [
    ...[at.role, ms(at.replacedMs), failures(at.failedCaptures), ms(at.longestCaptureMs)],
    ...[failures(at.failedReads), ms(at.longestReadMs)],
  ]);
  return `Each role was sent SIGTERM in turn, beside four senders that try again every 50 ms until they get 200, and a reader. Of ${whole(events)}
events none was lost, stored twice or out of order, and all persons were as the model says.

${table(["restarted", "its successor ran after, ms", "captures that were tried again", "longest capture, ms", "queries that were tried again", "longest query, ms"], rows)}${handovers === undefined ? "" : `\n\n${handedOver(handovers)}`}`;
}

export function faults({ faults, processes, all }: Faults): string {
  const seconds = (n: number) => (n / 1000).toFixed(1);
  const recovery = (at: Recovery) => [at.acceptedMs, at.storedMs, at.backgroundMs].map(seconds).join(" / ");
  const counts = faults.map((at) => [
    at.fault,
    ...[at.sent, at.accepted, at.stored, at.lost, at.twice, at.outOfOrder].map(whole),
  ]);
  const seen = faults.map((at) => [
    ...[at.fault, at.bitten, at.outlived === null ? "" : recovery(at.outlived), recovery(at.recovered)],
    ...[failures(at.failedCaptures), seconds(at.longestCaptureMs), failures(at.failedReads), at.ended.join(", ")],
  ]);
  return `A cluster on one machine: three nats-servers with three copies of each stream, PostgreSQL, an S3 server (s3rver), and ${processes} processes of Weir: two
fronts, two api processes, three workers, two compactors, two query processes. One fault after the other, each under the load of four senders, which go to
both fronts in turn, give up a request after 10 s, and try again every 50 ms until they get 200; a reader asks every 300 ms. Some requests are left
before their answer comes: these events may be stored and need not be.

${table(["fault", "events sent", "accepted", "stored", "accepted and lost", "stored twice", "out of order"], counts)}

When all was over, the ${whole(all.stored)} events were compared once more; persons, queries and \`weir lake verify\` agreed. Times are three: until new events of all partitions
were accepted / were in an answer / a background query after that was done; from the beginning of a fault where Weir outlives it, and from its end.

${table(["fault", "how it was felt", "while it lasts, s", "after its end, s", "captures that were tried again", "longest capture, s", "queries that were tried again", "processes that ended and were started again"], seen)}`;
}

function handedOver({ killed, joined, left }: Handovers): string {
  const of = (rounds: Handover[], what: keyof Handover) => {
    const values = rounds.map((round) => round[what]).toSorted((a, b) => a - b);
    return `${ms(values[Math.floor(values.length / 2)]!)} (${ms(values.at(-1)!)})`;
  };
  const columns = ["storedMs", "sharedMs", "settledMs", "longestMs"] as const;
  const row = (title: string, rounds: Handover[]) => [title, ...columns.map((what) => of(rounds, what))];
  const rows = [
    ...killed.map(({ workers, rounds }) => row(`kill -9 of one of ${workers} of \`weir start\``, rounds)),
    row("`weir worker` started beside one", joined),
    row("`weir worker` sent SIGTERM", left),
  ];
  return `Beside a steady flow of events of all partitions a worker was killed, came and went, ${joined.length} times each; no event was lost or stored
twice. Medians of milliseconds from that moment, and in brackets the longest; an event counts when a query answers with it.

${table(["", "events of all partitions stored again", "every worker has its share", "events sent after that stored", "longest wait of an event"], rows)}`;
}

export function merged({ sqlite, postgres }: Merges): string {
  const rows = Object.entries({ SQLite: sqlite, PostgreSQL: postgres }).flatMap(([title, { migrations }]) =>
    migrations.map(({ merges, mergesPerSecond, storedPerSecond, cpuUsPerMerge, isBesideLive }, at) => [
      `${title}, ${at + 1}.${isBesideLive === true ? ", beside live merges" : ""}`,
      ...[whole(merges), whole(mergesPerSecond), whole(storedPerSecond)],
      ...[cpuUsPerMerge.front!, cpuUsPerMerge["worker-0"]!],
    ]),
  );
  const live = ({ liveMergeMs: { alone, beside } }: MergesInto) =>
    `${ms(alone.p50)} ms alone (at most ${ms(alone.worst)}), ${ms(beside.p50)} ms beside a migration (at most ${ms(beside.worst)})`;
  return `Migrations of merging events of two new ids each, one after the other, to one worker. A live merge is in an answer after
${live(sqlite)} with SQLite, ${live(postgres)} with PostgreSQL; medians.

${table(["migration", "merges", "committed, merges/s", "with their events stored, merges/s", "CPU µs a merge, front", "worker"], rows)}`;
}

export function restored(o: Restore): string {
  return `A project of ${whole(o.events)} events and the demo in a bucket on the same machine: ${whole(o.files)} files, ${whole(o.sizeBytes / 1e6)} MB. After it all
${o.questions} questions about both had the same answers as before.

${table(
  ["step", "s"],
  [
    ["backup while Weir runs", o.backupSeconds],
    ["backup again, with nothing new", o.backupAgainSeconds],
    ["restore into an empty folder", o.restoreSeconds],
    ["until Weir is ready", o.readySeconds],
    ["until all questions are answered", o.answersSeconds],
  ],
)}`;
}

export function simulated({ runs }: { runs: SeedsRun[] }): string {
  const seeds = runs.reduce((sum, { from, to }) => sum + to - from, 0);
  const rows = runs.map((run) => [
    ...[`${whole(run.from)} … ${whole(run.to - 1)}`, `\`${run.commit.slice(0, 10)}\``, whole(run.seconds)],
    ...[whole(run.events), whole(run.faults), whole(run.steps), run.wrong.map(({ seed }) => seed).join(", ") || "none"],
  ]);
  return `${whole(seeds)} seeds of [the simulator](../test/simulation), each a few fronts, workers and compactors over a broker, a store and a disk that fail.

${[table(["seeds", "commit", "s", "events", "faults", "steps", "wrong"], rows), ...runs.flatMap(({ note }) => note ?? [])].join("\n\n")}`;
}

const SOAK_TITLES: Record<SoakFigure, string> = {
  slopeMiBPerMinute: "steepest growth of the highest memory of a process in each minute, MiB a minute",
  captureP99Drift: "p99 of captures, the last part beside the first after the warm-up",
  filesGrowth: "files of less than 40 MiB, the last part beside the first after the warm-up",
  failedMerges: "times that compaction failed and a file had to wait",
};

const partTitle = (at: number, warmUpParts: number): string =>
  at < warmUpParts ? `warm-up, part ${at + 1}` : `part ${at - warmUpParts + 1}`;

export function soaked(o: Soak): string {
  const figures = (Object.keys(SOAK_TITLES) as SoakFigure[]).map((name) => [
    ...[SOAK_TITLES[name], o.found[name], o.limits[name]],
  ]);
  const processes = Object.entries(o.memoryMiB.median).map(([name, minutes]) => [
    ...[name, minutes[0]!, minutes.at(-1)!, Math.max(...o.memoryMiB.highest[name]!), o.slopesMiBPerMinute[name] ?? ""],
  ]);
  const parts = [
    ["captures, p50 ms", ...o.captureMsByPart.map(({ p50 }) => p50)],
    ["captures, p99 ms", ...o.captureMsByPart.map(({ p99 }) => p99)],
    ...Object.entries(o.questionMsByPart).map(([name, times]) => [`${name}, p50 ms`, ...times.map(({ p50 }) => p50)]),
    ["live files of less than 40 MiB, at most", ...o.filesByPart],
  ];
  const steps = o.knee.steps.map((step) => [
    ...[whole(step.eventsPerSecond), whole(step.behindMs), whole(step.compactingMs)],
  ]);
  return `${whole(o.eventsPerSecond)} events/s, half of the first load whose backlog does not drain (${whole(o.knee.eventsPerSecond)}), for ${ms(o.seconds / 60)} minutes, with questions every five seconds, an
import in each part and ${o.deletions} deletions of persons. All ${whole(o.events)} events were accounted for; ${o.filesInTheEnd} files in the end.

${table(["figure", "found", "at most"], figures)}

${table(["events/s for a minute", "ms until all are stored, from the last", "ms until all is compacted, from then"], steps)}

${table(["", ...o.filesByPart.map((_, at) => partTitle(at, o.warmUpParts))], parts)}

${table(["process", "MiB, median of the first minute", "of the last", "most", "growth of the highest, MiB a minute"], processes)}`;
}
