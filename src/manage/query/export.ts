import type { Json, JsonObject } from "../../types/mod.ts";
import { csvReply, csvText } from "../http/csv.ts";
import { isObject } from "../http/fields.ts";
import type { Answer } from "./answer.ts";

/** A result as people put it into a spreadsheet. */
export interface Table {
  columns: string[];
  rows: Json[][];
}

/** One entry a kind of query that can be exported. */
const TABLES: Record<string, (response: JsonObject) => Table | null> = {
  TrendsQuery: seriesTable,
  HogQLQuery: rowsTable,
};

const NOTHING: Table = { columns: ["error"], rows: [["No data available or unable to format for export."]] };

/** The result of an answer as a table; one that says so where there is none. */
export function tableOf(answer: Answer | null): Table {
  if (answer === null || answer.response === null) return NOTHING;
  return TABLES[String(answer.question.source.kind)]?.(answer.response) ?? NOTHING;
}

/** The same as a file. `name`: of the insight, where it has one. */
export function tableReply(answer: Answer | null, name: string | null): Response {
  const { columns, rows } = tableOf(answer);
  const fileName = `${(name ?? "insight").replace(/[^\p{L}\p{N} _.-]+/gu, "-").slice(0, 100)}.csv`;
  return csvReply(csvText(columns, rows), { fileName });
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const sum = (values: readonly Json[]): number => values.reduce<number>((total, value) => total + Number(value ?? 0), 0);

/** A row a series, a column a bucket and the sum of all; or the one number of an aggregated display. */
function seriesTable(response: JsonObject): Table | null {
  const series = list(response.results).filter(isObject);
  const [first] = series;
  if (first === undefined) return null;
  const isTotal = first.aggregated_value !== undefined && first.aggregated_value !== null;
  const customName = (item: JsonObject): Json => (isObject(item.action) ? (item.action.custom_name ?? null) : null);
  const hasCustomNames = series.some((item) => customName(item) !== null);
  const values = (item: JsonObject): Json[] =>
    isTotal ? [item.aggregated_value ?? null] : [...list(item.data), sum(list(item.data))];
  return {
    columns: [
      "series",
      ...(hasCustomNames ? ["custom name"] : []),
      ...(isTotal ? ["total count"] : [...list(first.labels).map(String), "total"]),
    ],
    rows: series.map((item) => [item.label ?? null, ...(hasCustomNames ? [customName(item)] : []), ...values(item)]),
  };
}

/** Rows under the names of their columns. */
function rowsTable(response: JsonObject): Table {
  return { columns: list(response.columns).map(String), rows: list(response.results).map(list) };
}
