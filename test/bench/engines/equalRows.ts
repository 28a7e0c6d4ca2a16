const NUMBER = /^-?\d+(\.\d+)?$/;
/** Sums of floating point numbers depend on their order. */
const RELATIVE_ERROR = 1e-9;

/** What differs first between the rows of two engines, or null. JSON texts are equal when their values are. */
export function firstDifference(a: readonly unknown[][], b: readonly unknown[][]): string | null {
  if (a.length !== b.length) return `${a.length} rows against ${b.length}`;
  for (const [i, row] of a.entries()) {
    const other = b[i]!;
    if (row.length !== other.length) return `row ${i}: ${row.length} cells against ${other.length}`;
    const cell = row.findIndex((value, j) => !isSame(plain(value), plain(other[j])));
    if (cell !== -1) return `row ${i}, cell ${cell}: ${shown(row[cell])} against ${shown(other[cell])}`;
  }
  return null;
}

const shown = (cell: unknown): string => JSON.stringify(cell).slice(0, 300);

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= RELATIVE_ERROR * Math.max(Math.abs(a), Math.abs(b));
  }
  return a === b;
}

/** 64-bit integers come as numbers from one engine and as text from another. */
function plain(cell: unknown): unknown {
  if (typeof cell !== "string") return cell;
  if (NUMBER.test(cell)) return Number(cell);
  return cell.startsWith("{") ? JSON.stringify(sorted(JSON.parse(cell))) : cell;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
