import type { Json, JsonObject } from "../../types/mod.ts";
import { csvReply, csvText } from "../http/csv.ts";
import { isObject } from "../http/fields.ts";
import { LongList } from "../http/longList.ts";
import { streamed } from "../http/reply.ts";
import type { Answer } from "./answer.ts";

/** A result as people put it into a spreadsheet. */
export interface Table {
  columns: string[];
  rows: Json[][];
}

/** One entry a kind of query that can be exported. */
const TABLES: Record<string, (response: JsonObject) => Table> = {
  TrendsQuery: seriesTable,
  HogQLQuery: rowsTable,
  EventsQuery: rowsTable,
};

const MAX_NAME_CHARACTERS = 100;
const NOTHING: Table = { columns: ["error"], rows: [["No data available or unable to format for export."]] };

/** The result of an answer as a table; one that says so where there is none. */
export function tableOf(answer: Answer | null): Table {
  if (answer === null || answer.response === null) return NOTHING;
  return TABLES[String(answer.question.source.kind)]?.(answer.response) ?? NOTHING;
}

/** The same as a file. `name`: of the insight, where it has one. A long table is made while it is sent. */
export async function tableReply(answer: Answer | null, name: string | null): Promise<Response> {
  const list: unknown = answer?.response?.results;
  if (answer !== null && list instanceof LongList) {
    return streamed([longTable(answer, list.pieces())], { headers: fileReply("", name).headers });
  }
  const { columns, rows } = tableOf(answer);
  return fileReply(csvText(columns, rows), name);
}

/** Its texts, of which the first has the header; each piece of rows is a table of its own. */
async function* longTable(answer: Answer, pieces: AsyncGenerator<unknown[]>): AsyncGenerator<string> {
  let hasHeader = false;
  for await (const results of pieces) {
    const response = { ...answer.response, results: results as Json[] };
    const { columns, rows } = tableOf({ ...answer, response });
    const text = csvText(columns, rows);
    yield hasHeader ? text.slice(csvText(columns, []).length) : text;
    hasHeader = true;
  }
}

function fileReply(text: string, name: string | null): Response {
  return csvReply(text, { fileName: `${fileNameOf(name || "insight")}.csv` });
}

/** What all systems take, and no half characters. */
function fileNameOf(name: string): string {
  return [...name.replace(/[^\p{L}\p{M}\p{N} _.-]+/gu, "-")].slice(0, MAX_NAME_CHARACTERS).join("");
}

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const sum = (values: readonly Json[]): number => values.reduce<number>((total, value) => total + Number(value ?? 0), 0);

/**
 * A row a series, a column a bucket and the sum of all; or the one number of an aggregated display. What makes several rows
 * of one series (compared periods, values of a breakdown) is said in each.
 */
function seriesTable(response: JsonObject): Table {
  const series = list(response.results).filter(isObject);
  const isTotal = series.some((item) => isSet(item.aggregated_value));
  const heads = HEADS.filter(({ name, read }) => name === "series" || series.some((item) => read(item) !== null));
  const labels = labelsOf(series);
  const values = ({ aggregated_value: value, data }: JsonObject): Json[] =>
    isTotal ? [value ?? null] : [...labels.map((_, i) => list(data)[i] ?? null), sum(list(data))];
  return {
    columns: [...heads.map(({ name }) => name), ...(isTotal ? ["total count"] : [...labels, "total"])],
    rows: series.map((item) => [...heads.map(({ read }) => read(item)), ...values(item)]),
  };
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null;

/** Columns in front of the numbers. */
const HEADS: { name: string; read(item: JsonObject): Json }[] = [
  {
    name: "series",
    read: ({ label, compare_label: period }) => (isSet(period) ? `${label} - ${period}` : (label ?? null)),
  },
  { name: "custom name", read: ({ action }) => (isObject(action) ? (action.custom_name ?? null) : null) },
  {
    name: "breakdown",
    read: ({ breakdown_value: value }) => (Array.isArray(value) ? value.join("::") : (value ?? null)),
  },
];

/** Those of the current period; where another one has more buckets, its own behind them. */
function labelsOf(series: readonly JsonObject[]): string[] {
  const labels: string[] = [];
  const isPrevious = (item: JsonObject): boolean => item.compare_label === "previous";
  for (const item of series.toSorted((a, b) => Number(isPrevious(a)) - Number(isPrevious(b)))) {
    labels.push(...list(item.labels).slice(labels.length).map(String));
  }
  return labels;
}

/** Rows under the names of their columns. */
function rowsTable(response: JsonObject): Table {
  return { columns: list(response.columns).map(String), rows: list(response.results).map(list) };
}
