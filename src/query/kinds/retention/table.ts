import { isJsonObject, type Json, type JsonObject } from "../../../types/mod.ts";
import type { Table } from "../kind.ts";
import { list } from "../table.ts";

/** A row a cohort: when it began, the value of the breakdown if there is one, its size, and each column; a summed property behind them. */
export function cohortTable(response: JsonObject): Table {
  const items = list(response.results).filter(isJsonObject);
  const cellsOf = ({ values }: JsonObject): JsonObject[] => list(values).filter(isJsonObject);
  const labels = cellsOf(items[0] ?? {}).map(({ label }) => String(label));
  const hasBreakdown = items.some(({ breakdown_value: value }) => value !== null && value !== undefined);
  const hasValues = items.some((item) => cellsOf(item).some((cell) => "aggregation_value" in cell));
  const told = ({ breakdown_value: value }: JsonObject): Json =>
    Array.isArray(value) ? value.join("::") : (value ?? null);
  return {
    columns: [
      "cohort",
      ...(hasBreakdown ? ["breakdown"] : []),
      "cohort size",
      ...labels,
      ...(hasValues ? labels.map((label) => `${label} value`) : []),
    ],
    rows: items.map((item) => {
      const cells = cellsOf(item);
      const counts = cells.map(({ count }) => count ?? null);
      const values = hasValues ? cells.map(({ aggregation_value: value }) => value ?? null) : [];
      return [item.date ?? null, ...(hasBreakdown ? [told(item)] : []), counts[0] ?? null, ...counts, ...values];
    }),
  };
}
