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
import type { Cte, Expression, Query } from "../hogql/syntax/tree.ts";
import { NULL_VALUE, OTHER_VALUE } from "./breakdowns.ts";

/** What of the rows of a measure is kept, and how the values of their breakdown are ranked. */
export interface Ranking {
  /** Columns by which rows are told apart, beside those of the breakdown. */
  by: Expression[];
  /** The names of the columns that are summed up. */
  values: string[];
  /** An aggregate: the value of the breakdown with the largest comes first. */
  total: Expression;
  /** Whether values of which a part is missing come last. */
  isMissingLast: boolean;
  /** How many values are told apart. */
  limit: number;
}

/**
 * The values of a breakdown with the largest totals, and all others as one more. What ties is in the order of the values. Rows of
 * `by`, `values` and the values of the breakdown, `b0`, `b1`, …
 */
export function ranked(
  measure: Query,
  { keys, ctes }: { keys: Expression[]; ctes: Cte[] },
  { by, values, total, isMissingLast, limit }: Ranking,
): Query {
  const places = placesOf(keys, total, isMissingLast);
  const isShown = compare(field("place"), "<=", constant(limit));
  const shown = keys.map((key, i) => alias(`b${i}`, call("if", isShown, key, constant(OTHER_VALUE))));
  const on = and(keys.map((_, i) => compare(field("measure", `k${i}`), "==", field("places", `p${i}`))));
  const sums = values.map((name) => alias(name, call("toFloat", call("sum", field(name)))));
  return select([...by, ...sums, ...shown], {
    ctes: [...ctes, withQuery("measure", measure), withQuery("places", places)],
    select_from: from("measure", undefined, joined("places", on)),
    group_by: [...shown.map((_, i) => field(`b${i}`)), ...by.filter(({ node }) => node === "Field")],
  });
}

/** The place of each value of a breakdown, from 1, over the rows of `measure`: `p0`, `p1`, … and `place`. */
export function placesOf(keys: readonly Expression[], total: Expression, isMissingLast: boolean): Query {
  const isMissing = keys.map((key) => compare(key, "==", constant(NULL_VALUE)));
  const missing: Expression = isMissing.length === 1 ? isMissing[0]! : { node: "Or", exprs: isMissing };
  const order_by = [
    ...(isMissingLast ? [orderBy(missing)] : []),
    orderBy(call("ifNull", total, constant(0)), "DESC"),
    ...keys.map((key) => orderBy(key)),
  ];
  const named = keys.map((key, i) => alias(`p${i}`, key));
  return select([...named, alias("place", over("row_number", [], { order_by }))], {
    select_from: from("measure"),
    group_by: [...keys],
  });
}

/** The values that `ranked` tells apart: rows of `p0`, `p1`, … */
export function rankedValues(
  measure: Query,
  { keys, ctes }: { keys: Expression[]; ctes: Cte[] },
  { total, isMissingLast, limit }: Pick<Ranking, "total" | "isMissingLast" | "limit">,
): Query {
  const columns = keys.map((_, i) => field(`p${i}`));
  return select(columns, {
    ctes: [...ctes, withQuery("measure", measure), withQuery("places", placesOf(keys, total, isMissingLast))],
    select_from: from("places"),
    where: compare(field("place"), "<=", constant(limit)),
  });
}
