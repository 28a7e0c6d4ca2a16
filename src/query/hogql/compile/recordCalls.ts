import { actionCondition } from "../../filter/actions.ts";
import { personFilters } from "../../filter/personFilters.ts";
import { errorAt, HogqlError, invalidQuery } from "../../shape/errors.ts";
import type { CohortRecord } from "../../source/records.ts";
import { bind, FALSE, RELATION, type Sql, sql } from "../../sql/sql.ts";
import { asUuid } from "../../value/convert.ts";
import { literal } from "../../value/literals.ts";
import { typeOf, type Value, value } from "../../value/types.ts";
import { and, field, from, select } from "../syntax/build.ts";
import type { Call, Compare, Expression } from "../syntax/tree.ts";
import { compileExpression, compileQuery } from "./compile.ts";
import { eventsScope } from "./embedded.ts";
import { type Compilation, insideCompilation, type Scope } from "./scope.ts";

/** Cohorts of cohorts nest; this bounds how deep. */
const MAX_DEPTH = 10;

/** The id or the name of a record, known before the statement runs. */
function nameOf(node: Expression, what: string, scope: Scope): number | string {
  const given = compileExpression(node, scope).constant;
  if (typeof given === "number" || typeof given === "string") return given;
  throw errorAt(node, `${what} must be named by its id or its name.`);
}

const notFound = (part: Expression, what: string, named: number | string): HogqlError =>
  errorAt(part, `Could not find ${what} with ${typeof named === "number" ? `ID ${named}` : `name '${named}'`}`);

/**
 * `person_id IN COHORT 2`, `… NOT IN COHORT 'name'`. The cohort is a set of uuids, made once for a statement, which DuckDB
 * meets with the rows by a semi-join. Errors: HogqlError for a cohort that does not exist, those of `membersOf`.
 */
export function compileInCohort(node: Compare, scope: Scope): Value {
  if (scope.isLambda) throw new HogqlError("IN COHORT cannot stand in a lambda.");
  const { records } = scope.compilation.context;
  const left = asUuid(compileExpression(node.left, scope));
  const named = nameOf(node.right, "A cohort", scope);
  const cohort = typeof named === "number" ? records.cohort(named) : records.cohortNamed(named);
  if (cohort === null) throw notFound(node.right, "cohort", named);
  const members = sql`${left.sql} IN ${membersOf(cohort, scope.compilation)}`;
  const found = left.type.nullable ? sql`coalesce(${members}, ${FALSE})` : sql`(${members})`;
  return value(node.op === "in cohort" ? found : sql`(NOT ${found})`, typeOf("bool"), [left]);
}

/**
 * The persons of a cohort, after all merges, as a SELECT of uuids. Errors: TerminalError `invalid_query` for a filter that cannot
 * be compiled, and for cohorts that contain each other.
 */
export function membersOf(cohort: CohortRecord, compilation: Compilation): Sql {
  const cohorts = [...compilation.cohorts, cohort.id];
  if (compilation.cohorts.includes(cohort.id))
    throw invalidQuery(`cohort ${cohorts[0]}`, `contains itself: ${cohorts.join(" → ")}`);
  if (cohorts.length > MAX_DEPTH)
    throw invalidQuery(`cohort ${cohorts[0]}`, `contains cohorts more than ${MAX_DEPTH} deep`);
  if (cohort.isStatic) {
    const ids = sql`(SELECT CAST(unnest(${bind([...cohort.personIds], "VARCHAR[]")}) AS UUID) AS id)`;
    return sql`(SELECT coalesce(m.survivor_id, l.id) FROM ${ids} AS l LEFT JOIN ${RELATION.moved} AS m ON m.id = l.id)`;
  }
  const inside = insideCompilation(compilation);
  const where = and(personFilters(cohort.properties, inside.context, `cohort ${cohort.id}`));
  const persons = select([field("id")], { select_from: from("persons"), where });
  return sql`(${compileQuery(persons, { ...inside, cohorts, placeholders: new Map() }, new Map()).sql})`;
}

/** `matchesAction(id or name)`. Errors: HogqlError for an action that does not exist. */
export function compileMatchesAction(node: Call, scope: Scope, isPositive: boolean): Value {
  if (node.args.length !== 1) {
    throw errorAt(node, `Function 'matchesAction' expects 1 argument, found ${node.args.length}`);
  }
  const { compilation } = scope;
  const { records } = compilation.context;
  const named = nameOf(node.args[0]!, "An action", scope);
  const action = typeof named === "number" ? records.action(named) : records.actionNamed(named);
  if (action === null) throw notFound(node, "action", named);
  const events = scope.events();
  if (events === undefined) throw errorAt(node, "matchesAction needs the events in FROM.");
  const inside = insideCompilation(compilation);
  const condition = actionCondition(action, inside.context);
  return condition === null
    ? literal(true)
    : compileExpression(condition, eventsScope(events.table, inside), isPositive);
}
