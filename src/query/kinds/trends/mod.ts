import { Type } from "@sinclair/typebox";
import { INSIGHT_RESPONSE } from "../../insight/answer.ts";
import { datesOf } from "../../insight/ranges.ts";
import { SERIES_SCHEMAS } from "../../insight/series.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { seriesTable } from "../seriesTable.ts";
import { trendsActors } from "./actors.ts";
import { LEGACY } from "./legacy.ts";
import { readTrends, TrendsSchema } from "./node.ts";
import { isExact } from "./plan.ts";
import { runTrends } from "./run.ts";

/** Events counted over time. */
export const TRENDS: Kind = {
  name: "TrendsQuery",
  listedAs: "TRENDS",
  schema: {
    ...TrendsSchema,
    properties: {
      ...TrendsSchema.properties,
      series: Type.Array(Type.Union(Object.values(SERIES_SCHEMAS)), { maxItems: 100 }),
    },
  },
  response: {
    results: Type.Array(Type.Unknown(), { description: "Items: each a line over time, or a total." }),
    hasMore: Type.Boolean({ description: "Whether values of a breakdown were put together." }),
    ...INSIGHT_RESPONSE,
  },
  ages: (source) => ({ ...agesByInterval(source), clientPauseMs: 3 * 60_000 }),
  override: overrideInsight({ breaksDown: true }),
  read(source) {
    const query = readTrends(source);
    return {
      texts: [],
      filters: [query.series, query.properties, query.breakdownFilter],
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar, isExact(query)),
      actors: trendsActors(query),
      run: (context) => runTrends(query, context),
    };
  },
  table: seriesTable,
  legacy: LEGACY,
};
