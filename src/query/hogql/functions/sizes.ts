import { integer, type Sql, sql } from "../../sql/sql.ts";

/** The most elements or characters that one call may make out of nothing, as much as an answer could show. */
const MOST_MADE = 1_000_000;

/** `result`, where it has at most as many parts; else the statement ends with an error that names the function. */
export function atMost(count: Sql, name: string, result: Sql): Sql {
  const message: Sql = { parts: [`'${name} makes at most ${MOST_MADE} elements.'`] };
  return sql`CASE WHEN ${count} > ${integer(MOST_MADE)} THEN error(${message}) ELSE ${result} END`;
}
