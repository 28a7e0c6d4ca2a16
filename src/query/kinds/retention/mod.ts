import { Type } from "@sinclair/typebox";
import { isJsonObject } from "../../../types/mod.ts";
import { INSIGHT_RESPONSE } from "../../insight/answer.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { actorsBehind, partsOf } from "./actors.ts";
import { datesOf } from "./axis.ts";
import { LEGACY } from "./legacy.ts";
import { RetentionSchema, readRetention } from "./node.ts";
import { runRetention } from "./run.ts";
import { cohortTable } from "./table.ts";

/** How many of those who start at some time come back later. */
export const RETENTION: Kind = {
  name: "RetentionQuery",
  listedAs: "RETENTION",
  schema: RetentionSchema,
  response: {
    results: Type.Array(Type.Unknown(), { description: "Cohorts in order of time, of each value of the breakdown." }),
    hasMore: Type.Boolean({ description: "Values of the breakdown were put together." }),
    ...INSIGHT_RESPONSE,
  },
  ages({ retentionFilter: filter }) {
    const period = isJsonObject(filter) && typeof filter.period === "string" ? filter.period : "Day";
    return agesByInterval({ interval: period.toLowerCase() });
  },
  override: overrideInsight({ breaksDown: true }),
  read(source) {
    const query = readRetention(source);
    return {
      texts: [],
      filters: [query.target, query.returning, query.properties, query.breakdownFilter],
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
      actors: {
        behind: (part, context) => actorsBehind(query, part, context),
        options: (context) => partsOf(query, context),
      },
      run: (context) => runRetention(query, context),
    };
  },
  table: cohortTable,
  legacy: LEGACY,
};
