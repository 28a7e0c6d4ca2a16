import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS } from "../clickhouse/tables.ts";
import { baseOf, type Dataset, dataDirOf, dataset } from "../dataset/dataset.ts";
import { folderBytes, percentile } from "../report.ts";
import { EngineProcess } from "./engineProcess.ts";
import { firstDifference } from "./equalRows.ts";
import { questions } from "./questions.ts";

export interface LakeOptions {
  events: number;
  /** Warm runs of each question in each engine. */
  runs: number;
}

const COLD_RUNS = 3;
const WARM_UP_RUNS = 2;
/** A slow question is asked less often: its runs end after this time, and no sooner than after `FEWEST_RUNS`. */
const ENOUGH_MS = 15_000;
const FEWEST_RUNS = 3;

const CLICKHOUSE = new URL("../clickhouse", import.meta.url).pathname;
const SCRIPTS = {
  weir: new URL("./weirEngine.ts", import.meta.url).pathname,
  duckdb: new URL("./duckdbEngine.ts", import.meta.url).pathname,
  clickhouse: join(CLICKHOUSE, "engine.ts"),
};

type Program = keyof typeof SCRIPTS;

/** Who is asked, and in which way. All are compared with the first. */
const ENGINES = {
  weir: { program: "weir", variant: "" },
  ideal: { program: "duckdb", variant: "ideal" },
  clickhouseColumns: { program: "clickhouse", variant: "columns" },
  json: { program: "duckdb", variant: "json" },
  clickhouseJson: { program: "clickhouse", variant: "json" },
} as const satisfies Record<string, { program: Program; variant: string }>;

type EngineName = keyof typeof ENGINES;
const NAMES = Object.keys(ENGINES) as EngineName[];

interface Times {
  coldMs: number[];
  warmMs: number[];
  /** Of each warm run, all threads. */
  warmCpuMs: number[];
}

/** The same questions to Weir's door, to SQL by hand and to ClickHouse; fails when two engines' rows differ. */
export async function benchLake(o: LakeOptions): Promise<object> {
  installClickHouse();
  const set = await dataset(o.events);
  const start = (program: Program) => new EngineProcess(SCRIPTS[program], [set.path]);
  try {
    // Fills what stands beside the lake.
    for (const program of ["duckdb", "clickhouse"] as const) {
      await using engine = start(program);
      await engine.ask(firstQuestion(set, program));
    }
    const measured = Object.fromEntries(
      Object.keys(questions(set.vocabulary)).map((question) => [question, timesOfAll()]),
    );
    await askCold(measured, start);
    await askWarm(measured, start, o.runs);
    const answers = Object.entries(measured).map(([question, times]) => ({ question, ...summary(times) }));
    for (const { question, ratios } of answers) console.error(question.padEnd(48), JSON.stringify(ratios));
    return { bench: "lake", ...facts(set), bytesPerEvent: await bytesPerEvent(set, start), answers };
  } finally {
    for (const name of readdirSync(set.path)) {
      if (name.startsWith("run-")) rmSync(join(set.path, name), { recursive: true, force: true });
    }
  }
}

type Measured = Record<string, Record<EngineName, Times>>;
type Start = (program: Program) => EngineProcess;

const timesOfAll = () => {
  return Object.fromEntries(
    NAMES.map((name) => [name, { coldMs: [], warmMs: [], warmCpuMs: [] }]),
  ) as unknown as Record<EngineName, Times>;
};

function firstQuestion(set: Dataset, program: Program) {
  const variant = NAMES.map((name) => ENGINES[name]).find((engine) => engine.program === program)!.variant;
  return { question: Object.keys(questions(set.vocabulary))[0]!, variant };
}

/** The first answer of a new process; the files are in the page cache. */
async function askCold(measured: Measured, start: Start): Promise<void> {
  for (const [question, times] of Object.entries(measured)) {
    console.error(`cold: ${question}`);
    for (const name of NAMES) {
      const { program, variant } = ENGINES[name];
      for (const run of repeat(COLD_RUNS)) {
        await using engine = start(program);
        const { ms } = await engine.ask({ question, variant });
        times[name].coldMs.push(ms);
        if (run === 0 && ms > ENOUGH_MS / COLD_RUNS) break;
      }
    }
  }
}

/** Engines take turns, so that what else the machine does meets all of them. */
async function askWarm(measured: Measured, start: Start, runs: number): Promise<void> {
  await using weir = start("weir");
  await using duckdb = start("duckdb");
  await using clickhouse = start("clickhouse");
  const processes: Record<Program, EngineProcess> = { weir, duckdb, clickhouse };
  for (const [question, times] of Object.entries(measured)) {
    console.error(`warm: ${question}`);
    let expected: unknown[][] | null = null;
    for (const run of repeat(WARM_UP_RUNS + runs)) {
      for (const name of NAMES) {
        const { program, variant } = ENGINES[name];
        const { warmMs, warmCpuMs } = times[name];
        const spentMs = warmMs.reduce((sum, ms) => sum + ms, 0);
        if (spentMs > ENOUGH_MS && warmMs.length >= FEWEST_RUNS) continue;
        const before = processes[program].cpuMs;
        const { ms, rows } = await processes[program].ask({ question, variant });
        expected ??= rows;
        const difference = firstDifference(expected, rows);
        if (difference !== null) throw new Error(`${question}: ${NAMES[0]} and ${name} differ: ${difference}`);
        if (rows.length === 0) throw new Error(`${question}: no rows`);
        if (run < WARM_UP_RUNS) continue;
        warmMs.push(ms);
        warmCpuMs.push(processes[program].cpuMs - before);
      }
    }
  }
}

const repeat = (times: number) => Array.from({ length: times }, (_, i) => i);
const rounded = (value: number, digits = 1) => Number(value.toFixed(digits));

function summary(times: Record<EngineName, Times>) {
  const medians = (of: keyof Times) =>
    Object.fromEntries(NAMES.map((name) => [name, percentile(times[name][of], 0.5)]));
  const ratiosOf = (of: keyof Times) => {
    const { weir, ...others } = medians(of);
    return Object.fromEntries(Object.entries(others).map(([name, ms]) => [name, rounded(weir! / ms, 2)]));
  };
  const engines = NAMES.map((name) => {
    const { coldMs, warmMs, warmCpuMs } = times[name];
    const all = { coldMs: coldMs.map((ms) => rounded(ms)), warmMs: warmMs.map((ms) => rounded(ms)), warmCpuMs };
    const [min, median, max] = [0, 0.5, 1].map((share) => rounded(percentile(warmMs, share)));
    return [name, { medianMs: median, spreadMs: [min, max], ...all }];
  });
  const ratios = { warm: ratiosOf("warmMs"), cpu: ratiosOf("warmCpuMs"), cold: ratiosOf("coldMs") };
  return { engines: Object.fromEntries(engines), ratios };
}

function facts({ vocabulary }: Dataset) {
  const { events, persons, days } = vocabulary;
  return { events, persons, days, threads: navigator.hardwareConcurrency, settings: { clickhouse: SETTINGS } };
}

async function bytesPerEvent(set: Dataset, start: Start) {
  const { events } = set.vocabulary;
  const each = (bytes: number) => rounded(bytes / events);
  await using clickhouse = start("clickhouse");
  const { rows } = await clickhouse.ask({ question: "bytes by column", variant: "json" });
  const columns = rows.map(([name, bytes]) => ({ name: String(name), bytes: Number(bytes) }));
  const sum = (list: typeof columns) => each(list.reduce((total, column) => total + column.bytes, 0));
  return {
    weir: each(folderBytes(join(dataDirOf(set), "lake"))),
    ideal: each(statSync(join(set.path, "ideal-events.parquet")).size),
    json: each(statSync(join(baseOf(set), "events.parquet")).size),
    clickhouseJson: sum(columns.filter(({ name }) => !name.startsWith("mat_"))),
    clickhouseColumns: sum(columns),
  };
}

/** ClickHouse is a package of the bench's own: nothing else installs it. */
function installClickHouse(): void {
  if (existsSync(join(CLICKHOUSE, "node_modules", "chdb"))) return;
  const run = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"], {
    cwd: CLICKHOUSE,
    stdout: "ignore",
    stderr: "inherit",
  });
  if (run.exitCode !== 0) throw new Error("chdb could not be installed");
}
