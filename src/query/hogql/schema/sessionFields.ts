import type { EventsTable } from "../../source/events.ts";
import { type FieldKind, SESSION_FIELDS, SessionRows, type SessionWindow } from "../../source/sessions.ts";
import { type Sql, sql } from "../../sql/sql.ts";
import { STRING, TIME } from "../../value/columnTypes.ts";
import { arrayOf, optional, type Type, typeOf } from "../../value/types.ts";
import { type Column, type Fields, fieldsOf } from "./fields.ts";

const SESSION_TYPES: Record<FieldKind, Type> = {
  string: optional(STRING),
  int: typeOf("int"),
  datetime: TIME,
  bool: optional(typeOf("bool")),
  array: arrayOf(STRING),
};

/** Fields of sessions by a way to one; `isThere` where each row has its session. */
export function sessionFields<T>(field: (rows: T, key: string) => Sql, isThere: boolean): Record<string, Column<T>> {
  const fields = [...SESSION_FIELDS].map(([key, { kind }]): [string, Column<T>] => {
    const type = SESSION_TYPES[kind];
    return [key, { type: isThere ? type : optional(type), read: (rows) => field(rows, key) }];
  });
  return Object.fromEntries(fields);
}

/** One use of the table of sessions, which are made of events. */
export class SessionsTable {
  private readonly rows: SessionRows;

  constructor(
    private readonly alias: Sql,
    window: SessionWindow,
    events: EventsTable,
  ) {
    this.rows = new SessionRows(window, events);
  }

  id(): Sql {
    return sql`${this.alias}.session_id`;
  }

  field(key: string): Sql {
    return sql`${this.alias}.${this.rows.column(key)!.column}`;
  }

  from(): Sql {
    return sql`${this.rows.relation()} AS ${this.alias}`;
  }
}

export const SESSIONS: Fields<SessionsTable> = fieldsOf({
  session_id: { type: STRING, read: (rows) => rows.id() },
  id: { type: STRING, read: (rows) => rows.id(), isVirtual: true },
  ...sessionFields<SessionsTable>((rows, key) => rows.field(key), true),
});
