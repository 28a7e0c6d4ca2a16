import { type Sql, sql } from "../../sql/sql.ts";
import type { CallContext } from "./spec.ts";

/** `body` of a value that is written once: the engine has no LET, but a lambda binds. */
export function bound(from: Sql, call: CallContext, body: (known: Sql) => Sql): Sql {
  const known = call.fresh();
  return sql`list_extract(list_transform([${from}], lambda ${known}: ${body(known)}), 1)`;
}
