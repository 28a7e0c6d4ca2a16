import type { QueryAnswer } from "../../../api/node.ts";
import type { ChartWish, SqlDisplay } from "./chartWish.ts";

/** What a column of an answer holds, as far as charts care. */
export interface SqlColumn {
  name: string;
  at: number;
  kind: "number" | "time" | "text";
  /** As the server names it: "Nullable(DateTime64(6, 'UTC'))". */
  type: string;
  /** All rows that were looked at have the same: no axis. */
  isSame: boolean;
}

/** The columns of an answer of SQL by their types. */
export function columnsOf({ columns, types, results }: QueryAnswer): readonly SqlColumn[] {
  const names = Array.isArray(columns) ? columns.map(String) : [];
  const rows = Array.isArray(results) ? (results as unknown[][]) : [];
  return names.map((name, at) => {
    const type = String((types as unknown[][] | undefined)?.[at]?.[1] ?? "");
    const isSame = new Set(rows.slice(0, SAMPLE).map((row) => row[at])).size < 2;
    return { name, at, type, kind: kindOf(type, rows, at), isSame };
  });
}

const SAMPLE = 200;

function kindOf(type: string, rows: readonly unknown[][], at: number): SqlColumn["kind"] {
  const inner = type.replace(/^(?:(?:Nullable|LowCardinality)\()+/, "");
  if (/^Date/.test(inner)) return "time";
  if (/^(?:U?Int|Float|Decimal)/.test(inner)) return "number";
  if (inner !== "" && !/^(?:Nothing|Unknown)/.test(inner)) return "text";
  const values = rows.slice(0, SAMPLE).map((row) => row[at]);
  return values.some((value) => typeof value === "number") &&
    values.every((value) => value === null || typeof value === "number")
    ? "number"
    : "text";
}

/** How rows are drawn: which column is where. */
export interface ChartPlan {
  display: Exclude<SqlDisplay, "ActionsTable">;
  /** Null: there is none, as of a single number. */
  x: SqlColumn | null;
  y: readonly SqlColumn[];
  by: SqlColumn | null;
}

/** What is drawn of an answer with a wish; null where there is no number to draw. */
export function planOf(columns: readonly SqlColumn[], rowCount: number, wish: ChartWish): ChartPlan | null {
  const named = (name: string | undefined) => columns.find((column) => column.name === name) ?? null;
  const first = (is: SqlColumn["kind"], mayBeSame = false) =>
    columns.find(({ kind, isSame }) => kind === is && (mayBeSame || !isSame)) ?? null;
  const x = named(wish.x) ?? first("time") ?? first("text") ?? first("time", true) ?? first("text", true);
  const wished = (wish.y ?? []).flatMap((name) => named(name) ?? []).filter(({ kind }) => kind === "number");
  const y = wished.length > 0 ? wished : columns.filter((column) => column.kind === "number" && column !== x);
  if (y.length === 0) return null;
  const split = x?.kind === "time" ? first("text") : null;
  const by = wish.by === undefined ? split : named(wish.by);
  const display = wish.display === undefined || wish.display === "ActionsTable" ? usualFor(x, rowCount) : wish.display;
  return { display, x, y, by: by === x ? null : by };
}

/** Without an axis a row is a number, and several are a line; texts are ranked. */
function usualFor(x: SqlColumn | null, rowCount: number): ChartPlan["display"] {
  if (x === null) return rowCount === 1 ? "BoldNumber" : "ActionsLineGraph";
  return x.kind === "time" ? "ActionsLineGraph" : "ActionsBarValue";
}

/** More places and lines could not be read; the rest is left out, and that is said. */
const PLACES_MAX = 1_000;
const LINES_MAX = 20;

/** Rows as lines: a value for each place of the axis. */
export interface Lines {
  /** The values of the axis as texts, in their order; those of times ascend. */
  places: readonly string[];
  lines: readonly { key: string; label: string; values: readonly (number | null)[] }[];
  /** Places and lines that are left out. */
  leftOut: { places: number; lines: number };
}

/** The numbers of a chart. Rows that share a place and a line count together. */
export function linesOf(rows: readonly (readonly unknown[])[], { x, y, by }: ChartPlan): Lines {
  const placeOf = (row: readonly unknown[], at: number) => (x === null ? String(at + 1) : textOf(row[x.at]));
  const all = [...new Set(rows.map(placeOf))];
  if (x?.kind === "time") all.sort();
  const places = all.slice(0, PLACES_MAX);
  const index = new Map(places.map((place, at) => [place, at]));
  const lines = new Map<string, { key: string; label: string; values: (number | null)[] }>();
  for (const [at, row] of rows.entries()) {
    const place = index.get(placeOf(row, at));
    if (place === undefined) continue;
    for (const column of y) {
      const part = by === null ? "" : textOf(row[by.at]);
      const key = JSON.stringify([column.name, part]);
      const label = by === null ? column.name : y.length === 1 ? part : `${part} ${column.name}`;
      const line = lines.get(key) ?? { key, label, values: new Array<number | null>(places.length).fill(null) };
      lines.set(key, line);
      const value = row[column.at];
      if (typeof value === "number") line.values[place] = (line.values[place] ?? 0) + value;
    }
  }
  const sums = (line: { values: readonly (number | null)[] }) =>
    line.values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);
  const found = [...lines.values()];
  const shown =
    by === null
      ? found
      : found
          .map((line) => ({ line, sum: sums(line) }))
          .sort((a, b) => b.sum - a.sum)
          .map(({ line }) => line);
  return {
    places,
    lines: shown.slice(0, LINES_MAX),
    leftOut: { places: all.length - places.length, lines: Math.max(0, shown.length - LINES_MAX) },
  };
}

/** A cell in words. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
}
