import { Type } from "@sinclair/typebox";
import { INSIGHT_RESPONSE } from "../../insight/answer.ts";
import { datesOf } from "../../insight/ranges.ts";
import { SERIES_SCHEMAS } from "../../insight/series.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { seriesTable } from "../seriesTable.ts";
import { LEGACY } from "./legacy.ts";
import { readStickiness, StickinessSchema } from "./node.ts";
import { runStickiness, stickinessActorsOf } from "./run.ts";

/** Actors by the number of intervals in which they were active. */
export const STICKINESS: Kind = {
  name: "StickinessQuery",
  listedAs: "STICKINESS",
  schema: {
    ...StickinessSchema,
    properties: {
      ...StickinessSchema.properties,
      series: Type.Array(Type.Union(Object.values(SERIES_SCHEMAS)), { minItems: 1, maxItems: 100 }),
    },
  },
  response: {
    results: Type.Array(Type.Unknown(), { description: "Items: actors by the number of intervals." }),
    ...INSIGHT_RESPONSE,
  },
  ages: agesByInterval,
  override: overrideInsight({ breaksDown: false }),
  read(source) {
    const query = readStickiness(source);
    return {
      texts: [],
      filters: [query.series, query.properties],
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
      actors: stickinessActorsOf(query),
      run: (context) => runStickiness(query, context),
    };
  },
  table: seriesTable,
  legacy: LEGACY,
};
