import { isJsonObject } from "../../../types/mod.ts";
import { datesOf } from "../../insight/ranges.ts";
import { agesByInterval } from "../ages.ts";
import type { Kind } from "../kind.ts";
import { overrideInsight } from "../overrides.ts";
import { list } from "../table.ts";
import { pathActors } from "./actors.ts";
import { LEGACY } from "./legacy.ts";
import { PathsSchema, readPaths } from "./node.ts";
import { expressionOf } from "./plan.ts";
import { plannedPaths, runPaths } from "./run.ts";

const COLUMNS = ["source", "target", "value", "average_conversion_time"];

/** What actors do one after another. */
export const PATHS: Kind = {
  name: "PathsQuery",
  listedAs: "PATHS",
  schema: PathsSchema,
  ages: agesByInterval,
  override: overrideInsight({ breaksDown: false }),
  read(source) {
    const query = readPaths(source);
    const expression = expressionOf(query.pathsFilter ?? {});
    return {
      texts: expression === null ? [] : [expression],
      filters: query.properties,
      filterTestAccounts: query.filterTestAccounts === true,
      explain: query.explain === true,
      dates: (calendar) => datesOf(query, calendar),
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
