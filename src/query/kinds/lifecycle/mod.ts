import { Type } from "@sinclair/typebox";
import { INSIGHT_RESPONSE } from "../../insight/answer.ts";
import { datesOf } from "../../insight/ranges.ts";
import { SERIES_SCHEMAS } from "../../insight/series.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { seriesTable } from "../seriesTable.ts";
import { LEGACY } from "./legacy.ts";
import { LifecycleSchema, readLifecycle } from "./node.ts";
import { lifecycleActorsOf, runLifecycle } from "./run.ts";

/** Actors by whether they are new, come again, or stay away. */
export const LIFECYCLE: Kind = {
  name: "LifecycleQuery",
  listedAs: "LIFECYCLE",
  schema: {
    ...LifecycleSchema,
    properties: {
      ...LifecycleSchema.properties,
      series: Type.Array(Type.Union(Object.values(SERIES_SCHEMAS)), { minItems: 1, maxItems: 1 }),
    },
  },
  response: {
    results: Type.Array(Type.Unknown(), { description: "Items: new, returning, resurrecting and dormant actors." }),
    ...INSIGHT_RESPONSE,
  },
  ages: agesByInterval,
  override: overrideInsight({ breaksDown: false }),
  read(source) {
    const query = readLifecycle(source);
    return {
      texts: [],
      filters: [query.series, query.properties],
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
      actors: lifecycleActorsOf(query),
      run: (context) => runLifecycle(query, context),
    };
  },
  table: seriesTable,
  legacy: LEGACY,
};
