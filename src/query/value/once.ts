import { type Sql, sql } from "../sql/sql.ts";

/** `body` of an expression that is written once, by a name that the body of no other has around it. */
export function once(from: Sql, name: `${string}_${string}`, body: (known: Sql) => Sql): Sql {
  const known: Sql = { parts: [name] };
  return sql`list_extract(list_transform([${from}], lambda ${known}: ${body(known)}), 1)`;
}
