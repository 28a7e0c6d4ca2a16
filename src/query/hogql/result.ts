import type { JsonFile, QueryOutcome } from "../../lake/mod.ts";
import type { Type } from "../value/types.ts";
import type { OutputColumn } from "./schema/source.ts";
import { timeWriter } from "./shownTime.ts";

type Cell = (value: unknown) => unknown;

/** Rows as clients read them: times with the zone's offset, the rest as the lake gives it. A file of rows stays one. */
export async function shownResults(
  { rowsJson, rowsFile }: Pick<QueryOutcome, "rowsJson" | "rowsFile">,
  columns: readonly OutputColumn[],
  timezone: string,
): Promise<{ results: unknown[][]; resultsFile?: JsonFile }> {
  const cells = columns.map((column) => cellOf(column.type, timezone));
  const isPlain = cells.every((cell) => cell === null);
  const shown = (row: unknown[]) => row.map((value, i) => cells[i]?.(value) ?? (cells[i] === null ? value : null));
  if (rowsFile === undefined) {
    const rows = JSON.parse(rowsJson) as unknown[][];
    return { results: isPlain ? rows : rows.map(shown) };
  }
  const resultsFile = isPlain ? rowsFile : await rowsFile.changed((rows) => (rows as unknown[][]).map(shown));
  return { results: [], resultsFile };
}

/** How a cell of a type is rewritten; null where it stays. */
function cellOf(type: Type, timezone: string): Cell | null {
  switch (type.kind) {
    case "datetime": {
      const written = timeWriter(type.zone ?? timezone);
      return (value) => (value === null ? null : written(String(value)));
    }
    case "array": {
      const inner = type.element === undefined ? null : cellOf(type.element, timezone);
      return inner && ((value) => (Array.isArray(value) ? value.map(inner) : value));
    }
    case "tuple":
      return tupleCell((type.members ?? []).map((member) => cellOf(member, timezone)));
    case "map": {
      const inner = type.element === undefined ? null : cellOf(type.element, timezone);
      return inner && ((value) => mapMembers(value, inner));
    }
    default:
      return null;
  }
}

/** The lake gives a tuple as an object of `v1`, `v2`, …; clients read an array. */
function tupleCell(members: readonly (Cell | null)[]): Cell {
  return (value) => {
    if (value === null || typeof value !== "object") return value;
    return Object.values(value).map((member, i) => members[i]?.(member) ?? member);
  };
}

function mapMembers(value: unknown, inner: Cell): unknown {
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inner(member)]));
}
