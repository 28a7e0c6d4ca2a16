/** Weir's queries as an engine of `scripts/bench trends` and `insights`: `queryEngine.ts DATASET`. */
import { loadConfig } from "../../../src/config.ts";
import { type QueryContext, runQuery, type TrendsResponse, textLimitsOf } from "../../../src/query/mod.ts";
import { NO_RECORDS } from "../../support/noRecords.ts";
import { openDataset } from "../dataset/dataset.ts";
import { lakeOf } from "../dataset/openLake.ts";
import { untilMs } from "../dataset/vocabulary.ts";
import { insightQuestions } from "../insights/questions.ts";
import { trendQuestions } from "../trends/questions.ts";
import { rowsOfItems } from "../trends/rows.ts";
import { serve } from "./engineProcess.ts";

async function main(path: string): Promise<void> {
  const { vocabulary, ...set } = openDataset(path);
  const config = loadConfig({});
  const context: QueryContext = {
    teamId: vocabulary.team,
    timezone: "UTC",
    weekStartDay: 0,
    nowMs: untilMs(vocabulary),
    lake: await lakeOf({ ...set, vocabulary }),
    limits: { timeoutMs: config.queryTimeoutMs, maxRows: config.queryMaxRows, text: textLimitsOf(config) },
    records: NO_RECORDS,
  };
  const trends = trendQuestions(vocabulary);
  const insights = insightQuestions(vocabulary);
  serve(async ({ question }) => {
    const insight = insights[question];
    if (insight !== undefined) return insight.rows(await runQuery(insight.node, context));
    const { results } = (await runQuery(trends[question]!.node, context)) as TrendsResponse;
    return rowsOfItems(results);
  });
}

await main(process.argv[2]!);
