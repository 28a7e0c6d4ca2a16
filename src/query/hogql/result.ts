import { formatIso } from "../zone.ts";
import type { OutputColumn } from "./source.ts";
import type { Type } from "./types.ts";

type Cell = (value: unknown) => unknown;

/** Rows as clients read them: times with the zone's offset, the rest as the lake gives it. */
export function shownRows(rows: unknown[][], columns: readonly OutputColumn[], timezone: string): unknown[][] {
  const cells = columns.map((column) => cellOf(column.type, timezone));
  if (cells.every((cell) => cell === null)) return rows;
  return rows.map((row) => row.map((value, i) => cells[i]?.(value) ?? (cells[i] === null ? value : null)));
}

/** How a cell of a type is rewritten; null where it stays. */
function cellOf(type: Type, timezone: string): Cell | null {
  if (type.kind === "datetime") return (value) => (value === null ? null : shownTime(String(value), timezone));
  if (type.kind !== "array" || type.element === undefined) return null;
  const inner = cellOf(type.element, timezone);
  return inner && ((value) => (Array.isArray(value) ? value.map(inner) : value));
}

/** `2021-01-01T00:00:00.000000` in UTC to the zone's time. */
function shownTime(utc: string, timezone: string): string {
  try {
    return formatIso(Temporal.PlainDateTime.from(utc).toZonedDateTime("UTC").withTimeZone(timezone));
  } catch {
    // Beyond the calendar (infinity): as the engine writes it.
    return utc;
  }
}
