import { isJsonObject, type Json } from "../../types/mod.ts";
import type { QueryContext } from "../context.ts";
import { HogqlError, invalidQuery } from "../errors.ts";
import type { EventsTable } from "../events.ts";
import type { Sql } from "../sql.ts";
import { asCondition, asFloat, asText } from "./convert.ts";
import { compileExpression } from "./expressions.ts";
import { parser } from "./parse.ts";
import { eventsSource } from "./schema.ts";
import { Scope } from "./scope.ts";
import type { Expression } from "./tree.ts";

/** Trees by the text of the expression. */
export type Embedded = ReadonlyMap<string, Expression>;

/** What an expression is wanted as. */
export type EmbeddedUse = "condition" | "text" | "aggregate";

const SELECT = "SELECT ";

/**
 * Parses the HogQL expressions inside of insight nodes and filters, wherever they stand, so that they can be compiled
 * without waiting. Errors: HogqlError with offsets in the expression's text, RetryableError `queries_busy`.
 */
export async function parseEmbedded(json: readonly Json[], maxBytes: number): Promise<Embedded> {
  const texts = new Set<string>();
  for (const one of json) collect(one, texts);
  const trees = new Map<string, Expression>();
  for (const text of texts) trees.set(text, await parseExpression(text, maxBytes));
  return trees;
}

function collect(json: Json, texts: Set<string>): void {
  if (Array.isArray(json)) for (const item of json) collect(item, texts);
  if (!isJsonObject(json)) return;
  const { key, property, breakdown, math_hogql: aggregate } = json;
  if (json.type === "hogql") for (const text of [key, property]) if (typeof text === "string") texts.add(text);
  if (json.breakdown_type === "hogql" && typeof breakdown === "string") texts.add(breakdown);
  if (json.math === "hogql" && typeof aggregate === "string") texts.add(aggregate);
  for (const value of Object.values(json)) collect(value, texts);
}

async function parseExpression(text: string, maxBytes: number): Promise<Expression> {
  try {
    const tree = await parser.parse(SELECT + text, maxBytes);
    const rest = tree.node === "SelectQuery" ? { ...tree, node: null, select: null, start: null, end: null } : { tree };
    const isAlone = Object.values(rest).every((clause) => clause == null || clause === false || isEmpty(clause));
    if (tree.node === "SelectQuery" && isAlone && tree.select.length === 1) return tree.select[0]!;
  } catch (error) {
    if (!(error instanceof HogqlError)) throw error;
    const at = (offset: number | null) => (offset === null ? null : Math.max(0, offset - SELECT.length));
    throw new HogqlError(error.message, at(error.start), at(error.end));
  }
  throw new HogqlError(`This must be one expression: ${text.slice(0, 100)}`);
}

const isEmpty = (clause: unknown): boolean =>
  typeof clause === "object" && clause !== null && Object.keys(clause).length === 0;

/**
 * An expression that was parsed before, over the events of a table. Errors: HogqlError, TerminalError `invalid_query` for
 * an aggregate where none can stand, or none where one must.
 */
export function compileEmbedded(
  text: string,
  use: EmbeddedUse,
  events: EventsTable,
  context: QueryContext,
  place: string,
): Sql {
  const tree = context.embedded?.get(text);
  if (tree === undefined) throw invalidQuery(place, "HogQL cannot be used here");
  let aliases = 0;
  const scope = new Scope({ context, placeholders: new Map(), bounds: [], nextAlias: () => aliases++ }, new Map());
  scope.sources.push(eventsSource(events, context));
  const compiled = compileExpression(tree, scope, use === "condition");
  if (compiled.isWindow || scope.unnested.size > 0) {
    throw invalidQuery(place, "must not hold a window function or arrayJoin");
  }
  if (compiled.isAggregate !== (use === "aggregate")) {
    throw invalidQuery(place, use === "aggregate" ? "must be an aggregate, like count()" : "must not be an aggregate");
  }
  if (use === "condition") return asCondition(compiled);
  return use === "text" ? asText(compiled, context).sql : asFloat(compiled).sql;
}
