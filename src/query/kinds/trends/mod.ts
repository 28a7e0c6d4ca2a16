import { Type } from "@sinclair/typebox";
import { SERIES_SCHEMAS } from "../../insight/series.ts";
import type { Calendar } from "../../time/dates.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { LEGACY } from "./legacy.ts";
import { readTrends, type TrendsQuery, TrendsSchema } from "./node.ts";
import { needsEarliest, rangesOf } from "./plan.ts";
import { runTrends } from "./run.ts";
import { seriesTable } from "./table.ts";

const TIME = Type.String({ format: "date-time" });

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
    hogql: Type.Optional(Type.String({ description: "HogQL that gives the numbers." })),
    modifiers: Type.Record(Type.String(), Type.String()),
    resolved_date_range: Type.Object({ date_from: TIME, date_to: TIME }),
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
      dates: (calendar) => datesOf(query, calendar),
      run: (context) => runTrends(query, context),
    };
  },
  table: seriesTable,
  legacy: LEGACY,
};

/** Of all periods. From the first event on: that is a matter of the data. */
function datesOf(query: TrendsQuery, calendar: Calendar): string {
  return rangesOf(query, calendar, null)
    .map(({ from, to }) => `${needsEarliest(query) ? "all" : from.epochMilliseconds}/${to.epochMilliseconds}`)
    .join(" ");
}
