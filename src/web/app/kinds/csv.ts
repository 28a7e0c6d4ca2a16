import type { AnswerTable } from "./kind.ts";

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

/** Hands a text to the browser as a file. */
export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([`\ufeff${text}`], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${
    name
      .replace(/[^\p{L}\p{N} ._-]+/gu, " ")
      .trim()
      .slice(0, 100) || "insight"
  }.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
