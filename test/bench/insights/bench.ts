import { CLICKHOUSE_SCRIPT, installClickHouse } from "../clickhouse/install.ts";
import { SETTINGS } from "../clickhouse/tables.ts";
import { dataset } from "../dataset/dataset.ts";
import { compete } from "../engines/contest.ts";
import { EngineProcess } from "../engines/engineProcess.ts";
import { insightQuestions } from "./questions.ts";

export interface InsightsOptions {
  events: number;
  /** Warm runs of each question in each engine. */
  runs: number;
  /** Only questions whose names begin with it. */
  only: string;
}

const COLD_RUNS = 3;
const ENOUGH_MS = 6_000;

const CONTENDERS = {
  weir: { script: new URL("../engines/queryEngine.ts", import.meta.url).pathname, variant: "" },
  clickhouseColumns: { script: CLICKHOUSE_SCRIPT, variant: "columns" },
};

/** Funnels, retention, stickiness, lifecycle and paths to Weir's queries and to ClickHouse; fails when numbers differ. */
export async function benchInsights({ events, runs, only }: InsightsOptions): Promise<object> {
  installClickHouse();
  const set = await dataset(events);
  const questions = Object.keys(insightQuestions(set.vocabulary)).filter((name) => name.startsWith(only));
  if (questions.length === 0) throw new Error(`no question begins with "${only}"`);
  {
    // Fills its tables.
    await using clickhouse = new EngineProcess(CLICKHOUSE_SCRIPT, [set.path]);
    await clickhouse.ask({ question: questions[0]!, variant: "columns" });
  }
  const answered = await compete({
    set,
    questions,
    contenders: CONTENDERS,
    coldRuns: COLD_RUNS,
    warmRuns: runs,
    enoughMs: ENOUGH_MS,
  });
  for (const { question, ratios } of answered) console.error(question.padEnd(48), JSON.stringify(ratios));
  const { persons, days } = set.vocabulary;
  return {
    bench: "insights",
    ...{ events, persons, days, threads: navigator.hardwareConcurrency, settings: { clickhouse: SETTINGS } },
    answers: answered.map(({ rows, ...answer }) => answer),
  };
}
