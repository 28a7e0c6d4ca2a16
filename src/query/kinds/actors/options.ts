import { type Static, Type } from "@sinclair/typebox";
import type { Json, JsonObject } from "../../../types/mod.ts";
import { inside } from "../../shape/errors.ts";
import { anything, check, object, optional } from "../../shape/shapes.ts";
import { checkZone } from "../../time/zone.ts";
import { agesOfRows } from "../ages.ts";
import type { Kind, ReadQuery } from "../kind.ts";
import { asItIs } from "../overrides.ts";
import { list } from "../table.ts";
import { INSIGHT_PLACE, readInsight } from "./source.ts";

const OptionsSchema = object({
  kind: Type.Literal("InsightActorsQueryOptions"),
  source: Type.Record(Type.String(), Type.Unknown()),
  explain: optional(Type.Boolean()),
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

const OptionSchema = Type.Object({ label: Type.String(), value: Type.Unknown() });
/** What the parts of an answer are told apart by. */
const PARTS = ["day", "series", "breakdown", "compare", "status", "interval"];

/** Which parts of an insight's answer actors can be asked for. `kinds`: those that have some. */
export const actorsOptionsKind = (kinds: readonly Kind[]): Kind => ({
  name: "InsightActorsQueryOptions",
  schema: OptionsSchema,
  response: {
    results: Type.Array(Type.Unknown(), { description: "`[part, options]` of each part." }),
    ...Object.fromEntries(PARTS.map((part) => [part, Type.Optional(Type.Array(OptionSchema))])),
  },
  ages: agesOfRows,
  override: asItIs,
  read(node): ReadQuery {
    const { source, explain }: Static<typeof OptionsSchema> = check(OptionsSchema, node, "");
    const { query, actors } = readInsight(source as JsonObject, kinds);
    return {
      ...query,
      explain: explain === true,
      run: async (context) => {
        checkZone(context.timezone);
        const options = await inside(INSIGHT_PLACE, () => actors.options(context));
        return {
          ...options,
          results: Object.entries(options).map(([name, values]) => [name, values]),
          error: null,
          timings: [],
        };
      },
    };
  },
  table: ({ results }) => ({
    columns: ["part", "label", "value"],
    rows: list(results).flatMap((entry) => {
      const [name = null, values] = list(entry);
      return list(values).map((option): Json[] => {
        const { label = null, value = null } = option as JsonObject;
        return [name, label, value];
      });
    }),
  }),
});
