import { invalidQuery } from "../shape/errors.ts";
import type { Sql } from "../sql/sql.ts";
import type { EmbeddedHogql, QueryContext } from "./context.ts";
import type { EventsTable } from "./events.ts";

/**
 * HogQL inside of a node, over the events of a table. HogQL itself asks for filters and actions, so these know it by what stands in
 * the context only. Errors: HogqlError, TerminalError `invalid_query` for an aggregate where none can stand, or none where one must.
 */
export function compileEmbedded(
  text: string,
  use: EmbeddedHogql["use"],
  events: EventsTable,
  context: QueryContext,
  place: string,
): Sql {
  if (context.embedded === undefined) throw invalidQuery(place, "HogQL cannot be used here");
  return context.embedded({ text, use, events, place }, context);
}
