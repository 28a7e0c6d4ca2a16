import { actionCondition } from "../filter/actions.ts";
import type { QueryContext } from "../source/context.ts";
import { EventsTable } from "../source/events.ts";
import type { ActionRecord, CohortRecord } from "../source/records.ts";
import { compileExpression } from "./compile/compile.ts";
import { newCompilation } from "./compile/compiler.ts";
import { eventsScope } from "./compile/embedded.ts";
import { membersOf } from "./compile/recordCalls.ts";
import { parseExpression } from "./syntax/fragments.ts";
import type { Asker } from "./syntax/parseLane.ts";
import type { Expression } from "./syntax/tree.ts";

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

/** Whether an expression over events holds an aggregate. Errors: HogqlError. */
export const isAggregate = (tree: Expression, context: QueryContext): boolean =>
  compileExpression(tree, anyEvents(context)).isAggregate;

/** Throws TerminalError `invalid_query` for an action that no query could use. */
export function checkAction(action: ActionRecord, context: QueryContext): void {
  const condition = actionCondition(action, context);
  if (condition !== null) compileExpression(condition, anyEvents(context));
}

/** Throws TerminalError `invalid_query` for a cohort that no query could use. */
export function checkCohort(cohort: CohortRecord, context: QueryContext): void {
  membersOf(cohort, newCompilation(context));
}

const anyEvents = (context: QueryContext) => eventsScope(new EventsTable("e"), newCompilation(context));
