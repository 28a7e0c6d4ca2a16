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
import type { Expression, Query, Select } from "../../hogql/syntax/tree.ts";
import { AT, ITEM, walkedItems } from "./items.ts";
import type { PathsPlan } from "./plan.ts";
import { BEFORE, BEFORE_AT, PLACE, stepRows } from "./steps.ts";

/** A step of an answer, such as `2_/about`. */
const keyOf = (place: Expression, item: Expression): Expression =>
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
    alias("total", call("sum", arithmetic(AT, "-", BEFORE_AT))),
  ];
  const instead = edgesWalk(plan);
  const edges = select(columns, {
    ctes,
    select_from: from(query),
    where: compare(PLACE, ">", constant(1)),
    group_by: [PLACE, BEFORE, ITEM],
    ...(instead !== null && { instead }),
  });
  const value = field("value");
  const average = alias("average", arithmetic(field("total"), "/", value));
  const source = keyOf(arithmetic(PLACE, "-", constant(1)), BEFORE);
  // PostHog takes 0 for no limit.
  const weights = [
    ...(minEdgeWeight ? [compare(value, ">=", constant(minEdgeWeight))] : []),
    ...(maxEdgeWeight ? [compare(value, "<=", constant(maxEdgeWeight))] : []),
  ];
  return select([alias("source", source), alias("target", keyOf(PLACE, ITEM)), value, average], {
    select_from: from(edges),
    where: and(weights),
    order_by: [orderBy(value, "DESC"), orderBy(field("source")), orderBy(field("target"))],
    limit: constant(plan.edgeLimit),
  });
}

/** The walk that counts the same edges; null where it cannot: of paths between two points it does not know the middle. */
function edgesWalk(plan: PathsPlan): Select["instead"] | null {
  const { start, end, stepLimit, pauseMs } = plan;
  if (start !== null && end !== null) return null;
  const rows = walkedItems(plan, start ?? end);
  if (rows === null) return null;
  const point = start !== null ? "start" : end !== null ? "end" : null;
  return { rows, program: { kind: "paths", stepLimit, pauseMs, point } };
}
