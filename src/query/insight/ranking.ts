import { anyOf, integer, join, type Sql, sql, text } from "../sql/sql.ts";
import { NULL_VALUE, OTHER_VALUE } from "./breakdowns.ts";

/**
 * The `limit` values of a breakdown with the largest totals, and all others as one more; missing values come last. What ties is
 * in the order of the values. A SELECT of `extra`, the list `b` of the values, `bucket` and `value`, from one of `keys`, `bucket`
 * and `value`. `weight`: how often a bucket counts in the total.
 */
export function ranked(
  measure: Sql,
  keys: readonly Sql[],
  { limit, weight, extra }: { limit: number; weight: Sql; extra: Sql },
): Sql {
  const isMissing = anyOf(keys.map((key) => sql`${key} = ${text(NULL_VALUE)}`));
  const total = sql`coalesce(sum(value * ${weight}), 0)`;
  const order = sql`${isMissing}, ${total} DESC, ${join(keys, ", ")}`;
  const places = sql`SELECT ${join(keys, ", ")}, row_number() OVER (ORDER BY ${order}) AS place FROM r GROUP BY ${join(keys, ", ")}`;
  const others = keys.map(() => text(OTHER_VALUE));
  const values = sql`CASE WHEN place <= ${integer(limit)} THEN [${join(keys, ", ")}] ELSE [${join(others, ", ")}] END`;
  return sql`(WITH r AS MATERIALIZED (${measure}), places AS (${places})
    SELECT ${extra}, ${values} AS b, bucket, CAST(sum(value) AS DOUBLE) AS value
    FROM r JOIN places USING (${join(keys, ", ")}) GROUP BY 2, 3)`;
}
