import { and } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { insideOf, type QueryContext } from "../source/context.ts";
import { filtersOf } from "./filters.ts";

const PLACE = "test_account_filters";

/** The environment's filters of test accounts, which may name what the question may not. Errors: as of `filtersOf`. */
export function testAccountConditions(context: QueryContext): Expression[] {
  const conditions = filtersOf(context.testAccountFilters, insideOf(context), PLACE);
  const all = context.records.inside === undefined ? null : and(conditions);
  return all === null ? conditions : [{ node: "Embedded", expr: all, use: "condition", place: PLACE, isInside: true }];
}
