import type { QueryAnswer } from "../../api/node.ts";
import { Empty } from "../../ui/notice.tsx";
import type { AnswerTable } from "../table.ts";
import { AnswerRows } from "./answerRows.tsx";

/** The rows of an answer that has columns, such as that of SQL. */
export function ResultRows({ answer }: { answer: QueryAnswer }) {
  const table = rowsOf(answer);
  if (table === null) return <Empty title="There is no chart for this question yet" />;
  return table.rows.length === 0 ? <Empty title="No rows" /> : <AnswerRows table={table} />;
}

/** The answer as a table; null where it has no columns. */
export function rowsOf({ columns, results }: QueryAnswer): AnswerTable | null {
  if (!Array.isArray(columns) || !Array.isArray(results)) return null;
  const rows = (results as unknown[]).map((row) => (Array.isArray(row) ? row.map(cellOf) : [cellOf(row)]));
  const isNumber = (at: number) =>
    rows.length > 0 && rows.every((row) => row[at] === null || typeof row[at] === "number");
  return { columns: columns.map((label, at) => ({ label: String(label), isNumber: isNumber(at) })), rows };
}

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
