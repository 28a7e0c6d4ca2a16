import { matchesAction } from "../../filter/actions.ts";
import { inCohort } from "../../filter/cohorts.ts";
import { errorAt, HogqlError } from "../../shape/errors.ts";
import type { ActionRecord, CohortRecord } from "../../source/records.ts";
import { FALSE, sql } from "../../sql/sql.ts";
import { asUuid } from "../../value/convert.ts";
import { typeOf, type Value, value } from "../../value/types.ts";
import type { Call, Compare, Expression } from "../syntax/tree.ts";
import { compileExpression } from "./compile.ts";
import type { Scope } from "./scope.ts";

/** What names a record, known before it runs: its id, or its name. */
function nameOf(node: Expression | undefined, what: string, scope: Scope): number | string {
  const given = node === undefined ? null : compileExpression(node, scope).constant;
  if (typeof given === "number" || typeof given === "string") return given;
  throw errorAt(node, `${what} must be named by its id or its name.`);
}

/** `person_id IN COHORT 2`, `… NOT IN COHORT 'name'`. Errors: HogqlError for a cohort that does not exist. */
export function compileInCohort(node: Compare, scope: Scope): Value {
  const { context } = scope.compilation;
  if (scope.isLambda) throw new HogqlError("IN COHORT cannot stand in a lambda.");
  const left = asUuid(compileExpression(node.left, scope));
  const named = nameOf(node.right, "A cohort", scope);
  const cohort: CohortRecord | null =
    typeof named === "number" ? context.records.cohort(named) : context.records.cohortNamed(named);
  if (cohort === null) throw errorAt(node.right, `Could not find cohort with ${idOrName(named)}`);
  const found = sql`coalesce(${inCohort(cohort, left.sql, context)}, ${FALSE})`;
  return value(node.op === "in cohort" ? found : sql`(NOT ${found})`, typeOf("bool"), [left]);
}

const idOrName = (named: number | string): string => (typeof named === "number" ? `ID ${named}` : `name '${named}'`);

/** `matchesAction(id or name)`. Errors: HogqlError for an action that does not exist. */
export function compileMatchesAction(node: Call, scope: Scope): Value {
  if (node.args.length !== 1) {
    throw errorAt(node, `Function 'matchesAction' expects 1 argument, found ${node.args.length}`);
  }
  const named = nameOf(node.args[0], "An action", scope);
  const { context } = scope.compilation;
  const action: ActionRecord | null =
    typeof named === "number" ? context.records.action(named) : context.records.actionNamed(named);
  if (action === null) throw errorAt(node, `Could not find action with ${idOrName(named)}`);
  const events = scope.events();
  if (events === undefined) throw errorAt(node, "matchesAction needs the events in FROM.");
  return value(sql`coalesce(${matchesAction(action, events.table, context)}, ${FALSE})`, typeOf("bool"));
}
