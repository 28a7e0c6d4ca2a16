import { mapInSlices } from "../slices.ts";
import { timeWriter } from "./shownTime.ts";
import type { OutputColumn } from "./source.ts";
import type { Type } from "./types.ts";

type Cell = (value: unknown) => unknown;

/** Rows as clients read them: times with the zone's offset, the rest as the lake gives it. */
export async function shownRows(
  rows: unknown[][],
  columns: readonly OutputColumn[],
  timezone: string,
): Promise<unknown[][]> {
  const cells = columns.map((column) => cellOf(column.type, timezone));
  if (cells.every((cell) => cell === null)) return rows;
  return mapInSlices(rows, (row) => row.map((value, i) => cells[i]?.(value) ?? (cells[i] === null ? value : null)));
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
