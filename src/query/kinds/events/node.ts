import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../../../types/mod.ts";
import { notSupported } from "../../shape/errors.ts";
import { anything, check, object, optional } from "../../shape/shapes.ts";

const MAX_COLUMNS = 200;
const texts = () => optional(Type.Array(Type.String(), { maxItems: MAX_COLUMNS }));

export const EventsSchema = object({
  kind: Type.Literal("EventsQuery"),
  select: texts(),
  where: texts(),
  properties: anything,
  fixedProperties: anything,
  event: optional(Type.String()),
  events: texts(),
  actionId: optional(Type.Integer()),
  actionSteps: anything,
  personId: optional(Type.String()),
  before: optional(Type.String()),
  after: optional(Type.String()),
  orderBy: texts(),
  limit: optional(Type.Integer({ minimum: 1 })),
  offset: optional(Type.Integer({ minimum: 0 })),
  filterTestAccounts: optional(Type.Boolean()),
  explain: optional(Type.Boolean()),
  source: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
});

/** A list of events. */
export type EventsQuery = Static<typeof EventsSchema>;

/** Errors: TerminalError `invalid_query` that names the field. */
export function readEvents(node: JsonObject): EventsQuery {
  const query = check(EventsSchema, node, "");
  for (const field of ["actionSteps", "source"] as const) {
    if (query[field] != null) throw notSupported(field, "this");
  }
  return query;
}
