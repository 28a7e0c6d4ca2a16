import { CLICKHOUSE_SCRIPT, installClickHouse } from "../clickhouse/install.ts";
import { SETTINGS, tablesOf } from "../clickhouse/tables.ts";
import { dataset } from "../dataset/dataset.ts";
import { compete } from "../engines/contest.ts";
import { EngineProcess } from "../engines/engineProcess.ts";
import { benchAtOnce } from "./atOnce.ts";
import { trendQuestions } from "./questions.ts";

export interface TrendsOptions {
  events: number;
  /** Warm runs of each question in each engine. */
  runs: number;
}

const COLD_RUNS = 3;
const ENOUGH_MS = 6_000;
const AT_ONCE_RUNS = 5;

/** Those that are asked at once: each of another kind. */
const AT_ONCE = [
  "total by day",
  "dau by day",
  "weekly active by day",
  "breakdown by path, 25 of 20,000",
  "breakdown by a person's property",
  "sum with a filter by day",
  "first time for user",
  "unique sessions by day",
];

const CONTENDERS = {
  weir: { script: new URL("../engines/queryEngine.ts", import.meta.url).pathname, variant: "" },
  clickhouseColumns: { script: CLICKHOUSE_SCRIPT, variant: "columns" },
  clickhouseJson: { script: CLICKHOUSE_SCRIPT, variant: "json" },
};

/** Trends of each kind to Weir's queries and to ClickHouse, then eight at once to a whole Weir; fails when numbers differ. */
export async function benchTrends(o: TrendsOptions): Promise<object> {
  installClickHouse();
  const set = await dataset(o.events);
  const { vocabulary } = set;
  const questions = trendQuestions(vocabulary);
  {
    // Fills its tables.
    await using clickhouse = new EngineProcess(CLICKHOUSE_SCRIPT, [set.path]);
    await clickhouse.ask({ question: "total by day", variant: "columns" });
  }
  /** The statement is the same where no property is read. */
  const readsNoProperty = (question: string) => {
    const [columns, json] = (["columns", "json"] as const).map((variant) =>
      questions[question]!.clickhouse(tablesOf(variant, vocabulary)).join(),
    );
    return columns === json;
  };
  const answered = await compete({
    set,
    questions: Object.keys(questions),
    contenders: CONTENDERS,
    isAsked: (question, name) => name !== "clickhouseJson" || !readsNoProperty(question),
    coldRuns: COLD_RUNS,
    warmRuns: o.runs,
    enoughMs: ENOUGH_MS,
  });
  for (const { question, ratios } of answered) console.error(question.padEnd(48), JSON.stringify(ratios));
  const { events, persons, days } = vocabulary;
  return {
    bench: "trends",
    ...{ events, persons, days, threads: navigator.hardwareConcurrency, settings: { clickhouse: SETTINGS } },
    answers: answered.map(({ rows, ...answer }) => answer),
    eightAtOnce: await benchAtOnce({
      events: o.events,
      answered: answered.filter(({ question }) => AT_ONCE.includes(question)),
      runs: AT_ONCE_RUNS,
    }),
  };
}
