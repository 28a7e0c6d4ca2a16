import type { AnswerTable } from "./table.ts";

type Cell = string | number | null;

/** A table as CSV (RFC 4180). A text that a spreadsheet would run has an apostrophe before it, as in the API's CSV. */
export function csvOf({ columns, rows }: AnswerTable): string {
  const lines = [columns.map(({ label }) => label), ...rows];
  return lines.map((line) => `${line.map(fieldOf).join(",")}\r\n`).join("");
}

function fieldOf(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r\n]/.test(cell) && !isNumber(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text: string): boolean => /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text);
