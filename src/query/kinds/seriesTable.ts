import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";
import type { Table } from "./kind.ts";
import { list } from "./table.ts";

/**
 * A row a series, a column a bucket and the count of all; or the one number of an aggregated display. Rows of one
 * series have columns for what tells them apart: the compared period, the value of the breakdown.
 */
export function seriesTable(response: JsonObject): Table {
  const series = list(response.results).filter(isJsonObject);
  const isTotal = series.some((item) => isSet(item.aggregated_value));
  const heads = HEADS.filter(({ name, read }) => name === "series" || series.some((item) => read(item) !== null));
  const labels = labelsOf(series);
  const values = ({ aggregated_value: value, data, count }: JsonObject): Json[] =>
    isTotal ? [value ?? null] : [...labels.map((_, i) => list(data)[i] ?? null), count ?? null];
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
  { name: "custom name", read: ({ action }) => (isJsonObject(action) ? (action.custom_name ?? null) : null) },
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
