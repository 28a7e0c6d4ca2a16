import { Type } from "@sinclair/typebox";
import { INSIGHT_RESPONSE } from "../../insight/answer.ts";
import { datesOf } from "../../insight/ranges.ts";
import { SERIES_SCHEMAS } from "../../insight/series.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { behindFunnel, funnelOptions } from "./actors.ts";
import { LEGACY } from "./legacy.ts";
import { FunnelsSchema, filtersIn, readFunnels } from "./node.ts";
import { runFunnels } from "./run.ts";
import { funnelTable } from "./table.ts";

/** How many went through steps. */
export const FUNNELS: Kind = {
  name: "FunnelsQuery",
  listedAs: "FUNNELS",
  schema: {
    ...FunnelsSchema,
    properties: {
      ...FunnelsSchema.properties,
      series: Type.Array(Type.Union(Object.values(SERIES_SCHEMAS)), FunnelsSchema.properties.series),
    },
  },
  response: {
    results: Type.Union([Type.Array(Type.Unknown()), Type.Object({ bins: Type.Array(Type.Array(Type.Number())) })], {
      description: "Steps, with a breakdown a list of them for each value; series over time; or bins of times.",
    }),
    ...INSIGHT_RESPONSE,
  },
  ages: agesByInterval,
  override: overrideInsight({ breaksDown: true }),
  read(source) {
    const query = readFunnels(source);
    return {
      texts: [],
      filters: filtersIn(query),
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
      actors: {
        behind: (part, context) => behindFunnel(query, part, context),
        options: (context) => funnelOptions(query, context),
      },
      run: (context) => runFunnels(query, context),
    };
  },
  table: funnelTable,
  legacy: LEGACY,
};
