import { TerminalError } from "../../types/mod.ts";
import { sqlString } from "../engine/mod.ts";
import type { FileForm } from "./form.ts";

/** How a column is written: JSON is text in Parquet, and a value in JSON lines. */
interface ColumnText {
  sql: string;
  as: "text" | "json" | "time" | "number" | "boolean" | "any";
}

/** Rows as SQL text. */
export interface RowsText {
  columns: Readonly<Record<string, ColumnText>>;
  /** What stands behind FROM. */
  from: string;
}

/** A SELECT of the rows for a format: columns for Parquet, one text (a line of JSON) for JSON lines. */
export function selectRows({ columns, from }: RowsText, { format }: Pick<FileForm, "format">): string {
  const entries = Object.entries(columns);
  if (format === "Parquet") {
    const named = entries.map(([name, { sql, as }]) => `${as === "time" ? utc(sql) : sql} as ${identifier(name)}`);
    return `select ${named.join(", ")} from ${from}`;
  }
  const members = entries.map(
    ([name, column], i) => `${sqlString(`${i === 0 ? "{" : ","}${JSON.stringify(name)}:`)} || ${inJson(column)}`,
  );
  return `select ${members.join(" || ")} || '}' as line from ${from}`;
}

/** DuckDB takes a time without a zone for UTC, where no zone is set. */
const utc = (sql: string): string => `${sql}::timestamptz`;

function inJson({ sql, as }: ColumnText): string {
  const value = {
    text: `to_json(${sql})::varchar`,
    json: sql,
    time: `'"' || strftime(${sql}, '%Y-%m-%dT%H:%M:%S.%fZ') || '"'`,
    number: `${sql}::varchar`,
    boolean: `${sql}::varchar`,
    any: `to_json(${sql})::varchar`,
  }[as];
  return `coalesce(${value}, 'null')`;
}

/** The rows of a statement, by the names that its columns are to have. */
export function statementRows(text: string, columns: readonly string[]): RowsText {
  const inner = columns.map((_, i) => `c${i}`);
  const named = columns.map((name, i) => [name, { sql: `c${i}`, as: "any" as const }]);
  return { columns: Object.fromEntries(named), from: `(${text}\n) t(${inner.join(", ")})` };
}

/** Names that a column of a file can have: they stand in SQL text. */
const COLUMN_NAME = /^[\p{L}_$][\p{L}\p{N}_$ .-]*$/u;

function identifier(name: string): string {
  if (!COLUMN_NAME.test(name))
    throw new TerminalError("not_exportable", `The column "${name}" needs another name: add AS name.`);
  return `"${name}"`;
}
