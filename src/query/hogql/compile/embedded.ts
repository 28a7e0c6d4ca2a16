import { invalidQuery } from "../../shape/errors.ts";
import type { EventsTable } from "../../source/events.ts";
import { FALSE, type Sql, sql } from "../../sql/sql.ts";
import { asCondition } from "../../value/convert.ts";
import { typeOf, type Value, value } from "../../value/types.ts";
import type { Source } from "../schema/source.ts";
import { eventsSource } from "../schema/tables.ts";
import type { Embedded, Expression } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import { type Compilation, insideCompilation, Scope } from "./scope.ts";

/** A scope of one table alone, without the aliases and placeholders of the SELECT around it. */
export function scopeOf(source: Source, compilation: Compilation): Scope {
  const scope = new Scope({ ...compilation, placeholders: new Map() }, new Map());
  scope.sources.push(source);
  return scope;
}

/** A scope of a table of events that some SELECT reads. */
export const eventsScope = (table: EventsTable, compilation: Compilation): Scope =>
  scopeOf(eventsSource(table, compilation.context), compilation);

/** Conditions on the rows of a scope; NULL means no. Errors: HogqlError, TerminalError `invalid_query`. */
export const conditionsIn = (conditions: readonly Expression[], scope: Scope): Sql[] =>
  conditions.map((condition) => asCondition(compileExpression(condition, scope, true)));

/**
 * HogQL of a user inside of a node. Errors: HogqlError with offsets in the user's text, TerminalError `invalid_query` for an
 * aggregate where none can stand, or none where one must.
 */
export function compileEmbedded({ expr, use, place, isInside }: Embedded, outer: Scope, isPositive: boolean): Value {
  const compilation = isInside ? insideCompilation(outer.compilation) : outer.compilation;
  if (compilation.open.includes(expr)) throw invalidQuery(place, "must not ask for itself");
  const scope = eventsScope(outer.events()!.table, { ...compilation, open: [...compilation.open, expr] });
  const compiled = compileExpression(expr, scope, use === "condition");
  if (compiled.isWindow || scope.unnested.size > 0) {
    throw invalidQuery(place, "must not hold a window function or arrayJoin");
  }
  if (compiled.isAggregate !== (use === "aggregate")) {
    throw invalidQuery(place, use === "aggregate" ? "must be an aggregate, like count()" : "must not be an aggregate");
  }
  if (use !== "condition") return compiled;
  const condition = asCondition(compiled);
  return value(isPositive ? condition : sql`coalesce(${condition}, ${FALSE})`, typeOf("bool"));
}
