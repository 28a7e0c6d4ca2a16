import {
  alias,
  and,
  arithmetic,
  call,
  compare,
  constant,
  field,
  from,
  orderBy,
  select,
} from "../../hogql/syntax/build.ts";
import type { Expression, Query } from "../../hogql/syntax/tree.ts";
import { AT, ITEM } from "./items.ts";
import type { PathsPlan } from "./plan.ts";
import { BEFORE, BEFORE_AT, PLACE, stepRows } from "./steps.ts";

/** A step of an answer, such as `2_/about`. */
export const keyOf = (place: Expression, item: Expression): Expression =>
  call("concat", call("toString", place), constant("_"), item);

/**
 * The edges of all paths: rows of `source` and `target`, `value` (how often one follows the other) and `average` (milliseconds
 * between the two). Those that are walked most come first.
 */
export function edgesTree(plan: PathsPlan): Query {
  const { ctes, query } = stepRows(plan, "count");
  const { minEdgeWeight, maxEdgeWeight } = plan.filter;
  const columns = [
    PLACE,
    BEFORE,
    ITEM,
    alias("value", call("count")),
    alias("average", call("avg", arithmetic(AT, "-", BEFORE_AT))),
  ];
  const edges = select(columns, {
    ctes,
    select_from: from(query),
    where: compare(PLACE, ">", constant(1)),
    group_by: [PLACE, BEFORE, ITEM],
  });
  const value = field("value");
  const source = keyOf(arithmetic(PLACE, "-", constant(1)), BEFORE);
  // PostHog takes 0 for no limit.
  const weights = [
    ...(minEdgeWeight ? [compare(value, ">=", constant(minEdgeWeight))] : []),
    ...(maxEdgeWeight ? [compare(value, "<=", constant(maxEdgeWeight))] : []),
  ];
  return select([alias("source", source), alias("target", keyOf(PLACE, ITEM)), value, field("average")], {
    select_from: from(edges),
    where: and(weights),
    order_by: [orderBy(value, "DESC"), orderBy(field("source")), orderBy(field("target"))],
    limit: constant(plan.edgeLimit),
  });
}
