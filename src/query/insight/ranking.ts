import {
  alias,
  and,
  call,
  compare,
  constant,
  field,
  from,
  joined,
  orderBy,
  over,
  select,
  withQuery,
} from "../hogql/syntax/build.ts";
import type { Expression, Query } from "../hogql/syntax/tree.ts";
import { NULL_VALUE, OTHER_VALUE } from "./breakdowns.ts";
import { BUCKET, type LineRows, VALUE } from "./rows.ts";

/**
 * The `limit` values of a breakdown with the largest totals, and all others as one more; missing values come last. What ties is
 * in the order of the values. Rows of `line`, `bucket`, `value` and the values `b0`, `b1`, …, from those of a measure. `weighed`: a
 * value as it counts in the total.
 */
export function ranked(
  measure: Query,
  { keys, ctes }: LineRows,
  { line, limit, weighed }: { line: number; limit: number; weighed: Expression },
): Query {
  const isShown = compare(field("place"), "<=", constant(limit));
  const shown = keys.map((key, i) => alias(`b${i}`, call("if", isShown, key, constant(OTHER_VALUE))));
  const on = and(keys.map((_, i) => compare(field("measure", `k${i}`), "==", field("places", `p${i}`))));
  const value = call("toFloat", call("sum", VALUE));
  return select([alias("line", constant(line)), BUCKET, alias("value", value), ...shown], {
    ctes: [...ctes, withQuery("measure", measure), withQuery("places", placesOf(keys, weighed))],
    select_from: from("measure", undefined, joined("places", on)),
    group_by: [...shown.map((_, i) => field(`b${i}`)), BUCKET],
  });
}

/** The values that `ranked` tells apart: rows of `p0`, `p1`, … */
export function rankedValues(
  measure: Query,
  { keys, ctes }: LineRows,
  { limit, weighed }: { limit: number; weighed: Expression },
): Query {
  return select(
    keys.map((_, i) => field(`p${i}`)),
    {
      ctes: [...ctes, withQuery("measure", measure), withQuery("places", placesOf(keys, weighed))],
      select_from: from("places"),
      where: compare(field("place"), "<=", constant(limit)),
    },
  );
}

/** Each value of the table `measure` with its place, from 1. */
function placesOf(keys: readonly Expression[], weighed: Expression): Query {
  const isMissing = keys.map((key) => compare(key, "==", constant(NULL_VALUE)));
  const missing: Expression = isMissing.length === 1 ? isMissing[0]! : { node: "Or", exprs: isMissing };
  const total = call("ifNull", call("sum", weighed), constant(0));
  const order_by = [orderBy(missing), orderBy(total, "DESC"), ...keys.map((key) => orderBy(key))];
  const named = keys.map((key, i) => alias(`p${i}`, key));
  return select([...named, alias("place", over("row_number", [], { order_by }))], {
    select_from: from("measure"),
    group_by: [...keys],
  });
}
