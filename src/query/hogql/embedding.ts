import { invalidQuery } from "../shape/errors.ts";
import type { CompileEmbedded, EmbeddedHogql, QueryContext } from "../source/context.ts";
import type { EventsTable } from "../source/events.ts";
import type { Sql } from "../sql/sql.ts";
import { asCondition, asFloat, asText } from "../value/convert.ts";
import { compileExpression } from "./compile/compile.ts";
import { newCompilation } from "./compile/compiler.ts";
import { compileFrom } from "./compile/joins.ts";
import { type Compilation, Scope } from "./compile/scope.ts";
import { eventsSource } from "./schema/tables.ts";
import { parseExpression } from "./syntax/fragments.ts";
import type { Asker } from "./syntax/parseLane.ts";
import type { Expression, Join } from "./syntax/tree.ts";

/** HogQL that nobody knew of when the node was read: that of an action which HogQL names, say. */
class Unparsed extends Error {
  constructor(readonly text: string) {
    super("HogQL that is not parsed");
  }
}

/**
 * Runs `body` with what compiles the HogQL inside of nodes and filters. Its texts are parsed before, so that it can be compiled
 * without waiting. Where `body` meets another text, it begins anew. Errors: HogqlError with offsets in the expression's text,
 * RetryableError `queries_busy`.
 */
export async function withEmbedded<T>(
  texts: ReadonlySet<string>,
  asker: Asker,
  body: (compile: CompileEmbedded) => Promise<T>,
): Promise<T> {
  const trees = new Trees();
  for (const text of texts) await trees.add(text, asker);
  for (;;) {
    try {
      return await body(trees.compile);
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error;
      await trees.add(error.text, asker);
    }
  }
}

/** Trees by their texts. */
class Trees {
  private readonly trees = new Map<string, Expression>();
  /** Texts inside of each other that are compiled now. */
  private readonly open = new Set<string>();

  async add(text: string, asker: Asker): Promise<void> {
    if (!this.trees.has(text)) this.trees.set(text, await parseExpression(text, asker));
  }

  readonly compile: CompileEmbedded = (hogql, context) => {
    const { text, place } = hogql;
    const tree = this.trees.get(text);
    if (tree === undefined) throw new Unparsed(text);
    if (this.open.has(text)) throw invalidQuery(place, "must not ask for itself");
    this.open.add(text);
    try {
      return compiledAs(tree, hogql, context);
    } finally {
      this.open.delete(text);
    }
  };
}

function compiledAs(tree: Expression, { use, events, place }: EmbeddedHogql, context: QueryContext): Sql {
  const scope = scopeOf(events, context);
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

/** Tells of expressions over the tables of a FROM whether they hold an aggregate. Errors, of both: HogqlError. */
export function aggregatesOver(
  tables: Join,
  context: QueryContext,
  placeholders?: Compilation["placeholders"],
): (tree: Expression) => boolean {
  const scope = new Scope(newCompilation(context, placeholders), new Map());
  compileFrom(tables, scope);
  return (tree) => compileExpression(tree, scope).isAggregate;
}

function scopeOf(events: EventsTable, context: QueryContext): Scope {
  const scope = new Scope(newCompilation(context), new Map());
  scope.sources.push(eventsSource(events, context));
  return scope;
}
