import { formatByName, nameOf } from "../../mapping/mod.ts";
import type { Format } from "../../types.ts";

/** Umami's tables that are read; a name that holds several of these is the first one's. */
const TABLES = ["event_data", "session_data", "website_event", "revenue"] as const;

export type Table = (typeof TABLES)[number];

/** The table that a file holds, by its name; `website_event` where it names none. */
export function tableOf(file: string): Table {
  const name = nameOf(file).toLowerCase();
  return TABLES.find((table) => name.includes(table)) ?? "website_event";
}

/** How a file is read, where it holds this table; null otherwise. */
export function formatWhere(file: string, table: Table): Format | null {
  return tableOf(file) === table ? formatByName(file) : null;
}
