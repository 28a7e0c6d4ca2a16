import { actionCondition } from "../filter/actions.ts";
import type { QueryContext } from "../source/context.ts";
import { EventsTable } from "../source/events.ts";
import type { ActionRecord, CohortRecord } from "../source/records.ts";
import { compileExpression } from "./compile/compile.ts";
import { newCompilation } from "./compile/compiler.ts";
import { eventsScope } from "./compile/embedded.ts";
import { compileFrom } from "./compile/joins.ts";
import { membersOf } from "./compile/recordCalls.ts";
import { type Compilation, Scope } from "./compile/scope.ts";
import { parseExpression } from "./syntax/fragments.ts";
import type { Asker } from "./syntax/parseLane.ts";
import type { Expression, Join } from "./syntax/tree.ts";

/** HogQL that was not found when the node was read: that of an action which HogQL names, say. */
class Unparsed extends Error {
  constructor(readonly text: string) {
    super("HogQL that is not parsed");
  }
}

/**
 * Runs `body` with the trees of the HogQL inside of nodes and filters. The texts are parsed before, so that `body` has their trees
 * without waiting. Where `body` meets another text, it begins anew. Errors: HogqlError with offsets in the expression's text,
 * RetryableError `queries_busy`.
 */
export async function withEmbedded<T>(
  texts: ReadonlySet<string>,
  asker: Asker,
  body: (parsed: (text: string) => Expression) => Promise<T>,
): Promise<T> {
  const trees = new Map<string, Expression>();
  for (const text of texts) trees.set(text, await parseExpression(text, asker));
  const parsed = (text: string): Expression => {
    const tree = trees.get(text);
    if (tree === undefined) throw new Unparsed(text);
    return tree;
  };
  for (;;) {
    try {
      return await body(parsed);
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error;
      trees.set(error.text, await parseExpression(error.text, asker));
    }
  }
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

/** Throws TerminalError `invalid_query` for an action that no query could use. */
export function checkAction(action: ActionRecord, context: QueryContext): void {
  const condition = actionCondition(action, context);
  if (condition !== null) checkCondition(condition, context);
}

/** Throws TerminalError `invalid_query` or HogqlError for a condition that no query of events could use. */
export function checkCondition(condition: Expression, context: QueryContext): void {
  compileExpression(condition, anyEvents(context));
}

/** Throws TerminalError `invalid_query` for a cohort that no query could use. */
export function checkCohort(cohort: CohortRecord, context: QueryContext): void {
  membersOf(cohort, newCompilation(context));
}

const anyEvents = (context: QueryContext) => eventsScope(new EventsTable("e"), newCompilation(context));
