/** `scripts/bench`: measures a whole Weir on this machine; see `scripts/bench --help`. */
import { parseArgs } from "node:util";
import { dataset } from "./dataset/dataset.ts";
import { benchExport } from "./export.ts";
import { benchFaults } from "./faults.ts";
import { benchFiles } from "./files.ts";
import { benchFront } from "./front.ts";
import { benchImport } from "./import.ts";
import { benchIngest } from "./ingest.ts";
import { benchInsights } from "./insights/bench.ts";
import { benchLake } from "./lake/bench.ts";
import { benchLanes } from "./lanes.ts";
import { benchManage } from "./manage.ts";
import { benchMemory } from "./memory.ts";
import { benchMerges } from "./merges.ts";
import { benchPages } from "./pages/bench.ts";
import { benchLive, type LiveOptions } from "./pages/live.ts";
import { published, slowerThan } from "./published.ts";
import { publish } from "./report.ts";
import { benchRestarts } from "./restarts.ts";
import { benchRestore } from "./restore.ts";
import { benchScaling } from "./scaling.ts";
import { benchSeeds } from "./seeds.ts";
import { benchSoak } from "./soak.ts";
import { benchTrends } from "./trends/bench.ts";

const LIMIT_MS = 8 * 60_000;
/** Ten million events are built in many minutes, and asked for in as many. */
const LONG_LIMIT_MS = 60 * 60_000;
const LONG = new Set([
  "data",
  "export",
  "faults",
  "files",
  "insights",
  "lake",
  "live",
  "memory",
  "merges",
  "pages",
  "restarts",
  "restore",
  "scaling",
  "seeds",
  "soak",
  "trends",
]);
const DATASET_EVENTS = 5_000_000;
const LAKE_EVENTS = 10_000_000;

async function measure(
  subcommand: string | undefined,
  option: (name: string, fallback: number) => number,
): Promise<object> {
  switch (subcommand) {
    case "ingest":
      return benchIngest({
        events: option("events", 600_000),
        runs: option("runs", 3),
        connections: option("connections", 4),
        workers: option("workers", 1),
      });
    case "scaling":
      return benchScaling({ events: option("events", 300_000), connections: option("connections", 4) });
    case "lanes":
      return benchLanes({
        events: option("events", 1_000_000),
        merges: option("merges", 1_000_000),
        probes: option("probes", 40),
      });
    case "merges":
      return benchMerges({
        merges: option("merges", 1_000_000),
        steps: option("steps", 10),
        probes: option("probes", 40),
        connections: option("connections", 4),
      });
    case "import":
      return benchImport({ events: option("events", 1_000_000), probes: option("probes", 40) });
    case "export":
      return benchExport({ events: option("events", LAKE_EVENTS), runs: option("runs", 3) });
    case "front":
      return benchFront({
        events: option("events", 50_000),
        runs: option("runs", 3),
        connections: option("connections", 4),
      });
    case "memory":
      return benchMemory({ events: option("events", 3_000_000), idleSeconds: option("idle-seconds", 60) });
    case "faults":
      return benchFaults({ only: values.only ?? "" });
    case "files":
      return benchFiles({ events: option("events", 10_000_000), projects: option("projects", 1_000) });
    case "lake":
      return benchLake({ events: option("events", LAKE_EVENTS), runs: option("runs", 7) });
    case "trends":
      return benchTrends({ events: option("events", LAKE_EVENTS), runs: option("runs", 7) });
    case "insights":
      return benchInsights({ events: option("events", LAKE_EVENTS), runs: option("runs", 7), only: values.only ?? "" });
    case "manage":
      return benchManage({
        events: option("events", DATASET_EVENTS),
        runs: option("runs", 60),
        connections: option("connections", 8),
        requests: option("requests", 20_000),
      });
    case "pages":
      return benchPages({ events: option("events", DATASET_EVENTS), runs: option("runs", 24), live: live(option) });
    case "live":
      return benchLive(live(option));
    case "restarts":
      return benchRestarts({ rounds: option("runs", 10) });
    case "restore":
      return benchRestore({ events: option("events", LAKE_EVENTS) });
    case "seeds":
      return benchSeeds({ seeds: option("seeds", 100_000), file: values.json });
    case "soak":
      return benchSoak({ seconds: option("soak-seconds", 1_440) });
    case "data":
      return { bench: "data", ...(await dataset(option("events", DATASET_EVENTS))) };
    default:
      throw new Error(`unknown subcommand "${subcommand}": see scripts/bench --help`);
  }
}

const live = (option: (name: string, fallback: number) => number): LiveOptions => ({
  seconds: option("live-seconds", 300),
  eventsPerSecond: option("live-rate", 5_000),
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    events: { type: "string" },
    runs: { type: "string" },
    connections: { type: "string" },
    requests: { type: "string" },
    workers: { type: "string" },
    merges: { type: "string" },
    probes: { type: "string" },
    "idle-seconds": { type: "string" },
    seeds: { type: "string" },
    steps: { type: "string" },
    "soak-seconds": { type: "string" },
    "live-seconds": { type: "string" },
    "live-rate": { type: "string" },
    projects: { type: "string" },
    only: { type: "string" },
  },
});
const option = (name: string, fallback: number): number => {
  const value = Number((values as Record<string, string | undefined>)[name] ?? fallback);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a positive integer`);
  return value;
};
const limitMs = LONG.has(positionals[0] ?? "") ? LONG_LIMIT_MS : LIMIT_MS;
const tooLong = setTimeout(() => {
  console.error(`not done within ${limitMs / 60_000} minutes`);
  process.exit(1);
}, limitMs);
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));
const before = published(positionals[0] ?? "");
const measured = await measure(positionals[0], option);
publish(measured, values.json);
clearTimeout(tooLong);
const slower = slowerThan(before, measured);
for (const line of slower) console.error(`far slower than published: ${line}`);
if (slower.length > 0) process.exitCode = 1;
