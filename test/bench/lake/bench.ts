import { statSync } from "node:fs";
import { join } from "node:path";
import { CLICKHOUSE_SCRIPT, installClickHouse } from "../clickhouse/install.ts";
import { SETTINGS } from "../clickhouse/tables.ts";
import { baseOf, type Dataset, dataDirOf, dataset } from "../dataset/dataset.ts";
import { compete } from "../engines/contest.ts";
import { EngineProcess } from "../engines/engineProcess.ts";
import { folderBytes, rounded } from "../report.ts";
import { questions } from "./questions.ts";

export interface LakeOptions {
  events: number;
  /** Warm runs of each question in each engine. */
  runs: number;
}

const COLD_RUNS = 3;
const ENOUGH_MS = 15_000;

const WEIR = new URL("./weirEngine.ts", import.meta.url).pathname;
const DUCKDB = new URL("./duckdbEngine.ts", import.meta.url).pathname;

const CONTENDERS = {
  weir: { script: WEIR, variant: "" },
  ideal: { script: DUCKDB, variant: "ideal" },
  clickhouseColumns: { script: CLICKHOUSE_SCRIPT, variant: "columns" },
  json: { script: DUCKDB, variant: "json" },
  clickhouseJson: { script: CLICKHOUSE_SCRIPT, variant: "json" },
};

/** The same questions to Weir's door, to SQL by hand and to ClickHouse; fails when two engines' rows differ. */
export async function benchLake(o: LakeOptions): Promise<object> {
  installClickHouse();
  const set = await dataset(o.events);
  const asked = Object.keys(questions(set.vocabulary));
  // Fills what stands beside the lake.
  for (const { script, variant } of [CONTENDERS.ideal, CONTENDERS.clickhouseColumns]) {
    await using engine = new EngineProcess(script, [set.path]);
    await engine.ask({ question: asked[0]!, variant });
  }
  const limits = { coldRuns: COLD_RUNS, warmRuns: o.runs, enoughMs: ENOUGH_MS };
  const answered = await compete({ set, questions: asked, contenders: CONTENDERS, ...limits });
  for (const { question, ratios } of answered) console.error(question.padEnd(48), JSON.stringify(ratios));
  const answers = answered.map(({ rows, ...answer }) => answer);
  return { bench: "lake", ...facts(set), bytesPerEvent: await bytesPerEvent(set), answers };
}

function facts({ vocabulary }: Dataset) {
  const { events, persons, days } = vocabulary;
  return { events, persons, days, threads: navigator.hardwareConcurrency, settings: { clickhouse: SETTINGS } };
}

async function bytesPerEvent(set: Dataset) {
  const { events } = set.vocabulary;
  const each = (bytes: number) => rounded(bytes / events);
  await using clickhouse = new EngineProcess(CLICKHOUSE_SCRIPT, [set.path]);
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
