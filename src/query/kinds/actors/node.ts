import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { anything, check, object, optional } from "../../shape/shapes.ts";

const MAX_COLUMNS = 200;
const texts = () => optional(Type.Array(Type.String(), { maxItems: MAX_COLUMNS }));

export const ActorsSchema = object({
  kind: Type.Literal("ActorsQuery"),
  source: optional(Type.Record(Type.String(), Type.Unknown())),
  select: texts(),
  search: optional(Type.String()),
  properties: anything,
  fixedProperties: anything,
  orderBy: texts(),
  limit: optional(Type.Integer({ minimum: 1 })),
  offset: optional(Type.Integer({ minimum: 0 })),
  explain: optional(Type.Boolean()),
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

export type ActorsQuery = Omit<Static<typeof ActorsSchema>, "source"> & { source?: JsonObject | null };

/** An ActorsQuery's shape. Errors: TerminalError `invalid_query` that names the place. */
export function readActors(node: JsonObject): ActorsQuery {
  const { source, ...query } = check(ActorsSchema, node, "");
  return { ...query, source: source as JsonObject | null | undefined };
}
