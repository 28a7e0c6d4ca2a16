import { Type } from "@sinclair/typebox";
import { datesOf } from "../../insight/ranges.ts";
import { SERIES_SCHEMAS } from "../../insight/series.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind, QueryResponse } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { behindFunnel, funnelOptions } from "./actors.ts";
import { LEGACY } from "./legacy.ts";
import { FunnelsSchema, readFunnels } from "./node.ts";
import { type FunnelsResponse, runFunnels } from "./run.ts";
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
  ages: agesByInterval,
  override: overrideInsight({ breaksDown: true }),
  read(source) {
    const query = readFunnels(source);
    const aggregate = { type: "hogql", key: query.funnelsFilter.funnelAggregateByHogQL };
    return {
      texts: [],
      filters: [query.series, query.exclusions, query.properties, query.breakdownFilter, aggregate],
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
      actors: {
        behind: (part, context) => behindFunnel(query, part, context),
        options: (context) => funnelOptions(query, context),
      },
      run: (context) => runFunnels(query, context) as Promise<FunnelsResponse & QueryResponse>,
    };
  },
  table: funnelTable,
  legacy: LEGACY,
};
