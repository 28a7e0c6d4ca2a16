import { Type } from "@sinclair/typebox";
import { isJsonObject } from "../../../types/mod.ts";
import { INSIGHT_RESPONSE } from "../../insight/answer.ts";
import { datesOf } from "../../insight/ranges.ts";
import { agesByInterval } from "../ages.ts";
import { filtersIn } from "../funnels/node.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { list } from "../table.ts";
import { pathActors } from "./actors.ts";
import { LEGACY } from "./legacy.ts";
import { PathsSchema, readPaths } from "./node.ts";
import { expressionOf } from "./plan.ts";
import { plannedPaths, runPaths } from "./run.ts";

const ITEM_FIELDS = {
  source: Type.String({ description: "A place and what stands there, such as `1_/`." }),
  target: Type.String(),
  value: Type.Number({ description: "How often one follows the other." }),
  average_conversion_time: Type.Number({ description: "Milliseconds." }),
};
const ITEM = Type.Object(ITEM_FIELDS);
const COLUMNS = Object.keys(ITEM_FIELDS);

/** What actors do one after another. */
export const PATHS: Kind = {
  name: "PathsQuery",
  listedAs: "PATHS",
  schema: PathsSchema,
  response: {
    results: Type.Array(ITEM, { description: "Edges: those that are taken most come first." }),
    ...INSIGHT_RESPONSE,
  },
  ages: agesByInterval,
  override: overrideInsight({ breaksDown: false }),
  read(source) {
    const query = readPaths(source);
    const funnel = query.funnelPathsFilter?.funnelSource ?? null;
    const expression = expressionOf(query.pathsFilter ?? {});
    return {
      texts: expression === null ? [] : [expression],
      filters: [query.properties, ...(funnel === null ? [] : filtersIn(funnel))],
      filterTestAccounts: query.filterTestAccounts === true || funnel?.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) =>
        [query, ...(funnel === null ? [] : [funnel])].map((one) => datesOf(one, calendar)).join(" of "),
      actors: {
        behind: async (part, context) => pathActors(await plannedPaths(query, context), part),
        options: async () => ({}),
      },
      run: (context) => runPaths(query, context),
    };
  },
  table: ({ results }) => ({
    columns: COLUMNS,
    rows: list(results)
      .filter(isJsonObject)
      .map((item) => COLUMNS.map((column) => item[column] ?? null)),
  }),
  legacy: LEGACY,
};
