import { isJsonObject, type Json, type JsonObject } from "../../../types/mod.ts";
import type { Table } from "../kind.ts";
import { list } from "../table.ts";

/**
 * A row a step, of each value of the breakdown; of conversion over time a row a series and a column a bucket; of times a row
 * a bin. What makes several rows of one step (compared periods, values of a breakdown) is said in each.
 */
export function funnelTable({ results }: JsonObject): Table {
  const items = (isJsonObject(results) ? [results] : list(results).flat()).filter(isJsonObject);
  if (items.some(({ bins }) => bins !== undefined)) return timesTable(items);
  return items.some(({ data }) => data !== undefined) ? trendsTable(items) : stepsTable(items);
}

function stepsTable(items: JsonObject[]): Table {
  return rowsOf(items, ["name", "action_id", "count", ...TIMES.map(([name]) => name)], (item) =>
    [
      [item.custom_name || (item.name ?? null), item.action_id ?? null, item.count ?? null],
      TIMES.map(([, member]) => item[member] ?? null),
    ].flat(),
  );
}

const TIMES = [
  ["median_conversion_time (seconds)", "median_conversion_time"],
  ["average_conversion_time (seconds)", "average_conversion_time"],
] as const;

function trendsTable(items: JsonObject[]): Table {
  const labels = items.map(({ labels }) => list(labels)).toSorted((a, b) => b.length - a.length)[0] ?? [];
  return rowsOf(items, labels.map(String), ({ data }) => labels.map((_, i) => list(data)[i] ?? null));
}

function timesTable(items: JsonObject[]): Table {
  const bins = items.flatMap((item) => list(item.bins).map((bin): JsonObject => ({ ...item, bin })));
  return rowsOf(bins, ["from (seconds)", "count"], ({ bin }) => list(bin));
}

/** Columns in front of the numbers. */
const HEADS: { name: string; read(item: JsonObject): Json }[] = [
  { name: "period", read: ({ compare_label: period }) => period ?? null },
  {
    name: "breakdown",
    read: ({ breakdown: value }) => (Array.isArray(value) ? value.join("::") : (value ?? null)),
  },
];

function rowsOf(items: JsonObject[], columns: string[], cells: (item: JsonObject) => Json[]): Table {
  const heads = HEADS.filter(({ read }) => items.some((item) => read(item) !== null));
  return {
    columns: [...heads.map(({ name }) => name), ...columns],
    rows: items.map((item) => [...heads.map(({ read }) => read(item)), ...cells(item)]),
  };
}
