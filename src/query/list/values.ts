import { DAY_MS, type Json } from "../../types/mod.ts";
import { filtersOf } from "../filter/filters.ts";
import { newCompilation } from "../hogql/compile/compiler.ts";
import { conditionsIn, eventsScope } from "../hogql/compile/embedded.ts";
import type { QueryContext } from "../source/context.ts";
import { EventsTable } from "../source/events.ts";
import { SessionWindow } from "../source/sessions.ts";
import { selectRows } from "../source/statement.ts";
import { allOf, integer, isOneOf, type Sql, sql, TRUE, text } from "../sql/sql.ts";

const LOOK_BACK_DAYS = 7;
const MAX_VALUES = 10;
/** Lists are taken apart afterwards. */
const MAX_READ = 100;

/** Which values are wanted. */
export interface ValuesQuery {
  /** A property of events, or one of their columns. */
  key: string;
  isColumn: boolean;
  /** In any case. */
  part: string | null;
  /** Names; of all events where empty. */
  events: readonly string[];
  /** Property filters. */
  filters: Json;
}

/**
 * Values that a property or a column of events had in the last days: the most frequent ones, or the shortest ones with a part of them.
 * Errors: TerminalError `invalid_query`, and those of `Lake.query`.
 */
export async function eventValues(query: ValuesQuery, context: QueryContext): Promise<string[]> {
  const { key, isColumn, part, events } = query;
  const span = { fromMs: context.nowMs - LOOK_BACK_DAYS * DAY_MS, toMs: context.nowMs };
  const { fromMs, toMs } = span;
  const sessions = new SessionWindow(span);
  const table = new EventsTable("e", { sessions });
  const value = isColumn ? columnText(table, key) : table.property(key);
  if (value === null) return [];
  const at = (ms: number) => sql`make_timestamp_ms(${integer(ms)})`;
  const timestamp = table.column("timestamp");
  const conditions = [
    sql`${timestamp} >= ${at(fromMs)} AND ${timestamp} <= ${at(toMs)} AND ${value} IS NOT NULL`,
    events.length === 0 ? TRUE : isOneOf(table.column("event"), events),
    part === null ? TRUE : sql`contains(lower(${value}), lower(${text(part)}))`,
    ...conditionsIn(filtersOf(query.filters, context, "properties"), eventsScope(table, newCompilation(context))),
  ];
  const order = part === null ? sql`count(*) DESC` : sql`length(value)`;
  const statement = sql`SELECT ${value} AS value FROM ${table.from()} WHERE ${allOf(conditions)}
    GROUP BY value ORDER BY ${order}, value LIMIT ${integer(MAX_READ)}`;
  const options = { span: sessions.isRead ? sessions.widened : span, maxRows: MAX_READ };
  const rows = await selectRows<[string]>(statement, options, context);
  const values = rows.flatMap(([stored]) => (!isColumn && stored!.startsWith("[") ? elementsOf(stored!) : [stored!]));
  const lower = part?.toLowerCase() ?? "";
  return [...new Set(values)].filter((one) => one.toLowerCase().includes(lower)).slice(0, MAX_VALUES);
}

/** Null for a column that there is not, or whose values tell nothing. */
function columnText(table: EventsTable, name: string): Sql | null {
  if (name === "event" || name === "distinct_id") return table.column(name);
  return name === "person_id" ? sql`${table.personId()}::VARCHAR` : null;
}

/** Of a list its elements as texts; a text that only looks like one is itself. */
function elementsOf(stored: string): string[] {
  try {
    const list: Json = JSON.parse(stored);
    return Array.isArray(list)
      ? list.map((item) => (typeof item === "string" ? item : JSON.stringify(item)))
      : [stored];
  } catch {
    return [stored];
  }
}
