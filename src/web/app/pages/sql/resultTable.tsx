import { useMemo } from "preact/hooks";
import type { QueryAnswer } from "../../api/node.ts";
import { columnsOf, type SqlColumn, textOf } from "../../kinds/view/sql/columns.ts";
import { type Column, Table } from "../../ui/table.tsx";

type Row = readonly unknown[];

const SAMPLE = 200;
const SIGN_PX = 7.5;
const BESIDE_PX = 32;
const LEAST_PX = 64;
const MOST_PX = 420;

/** The rows of an answer; of many only those in sight are in the page. */
export function ResultTable({ answer }: { answer: QueryAnswer }) {
  const rows = answer.results as readonly Row[];
  const columns = useMemo(() => columnsOf(answer).map((column) => tableColumn(column, rows)), [answer]);
  return <Table label="Rows" columns={columns} rows={rows} keyOf={(_, index) => index} nothing="No rows" />;
}

/** Names may be there twice: the key has the place. */
function tableColumn({ name, at, kind }: SqlColumn, rows: readonly Row[]): Column<Row> {
  const isNumber = kind === "number";
  return {
    key: `${at} ${name}`,
    label: name,
    isNumber,
    // As wide as what is in sight at first: columns that change their width while one scrolls are hard to read.
    widthPx: widthOf([name, ...rows.slice(0, SAMPLE).map((row) => textOf(row[at]))]),
    cell: (row) => textOf(row[at]),
    sortBy: (row) => sortKey(row[at]),
  };
}

function widthOf(texts: readonly string[]): number {
  const longest = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return Math.round(Math.min(MOST_PX, Math.max(LEAST_PX, longest * SIGN_PX + BESIDE_PX)));
}

function sortKey(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "number" || typeof value === "string") return value;
  return typeof value === "boolean" ? Number(value) : JSON.stringify(value);
}
