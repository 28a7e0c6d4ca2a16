import { NULL_VALUE, OTHER_VALUE } from "../../insight/breakdowns.ts";
import { scaled } from "../../insight/sampling.ts";
import { formatIso } from "../../time/zone.ts";
import { periodName } from "./axis.ts";
import { areWide, type RetentionPlan } from "./plan.ts";

/** One cohort, or one of a value of the breakdown (docs/queries.md#items-of-a-retention-answer). */
export interface RetentionItem {
  values: RetentionValue[];
  label: string;
  /** When its interval begins. */
  date: string;
  /** An empty text for none; several properties have a list; null without a breakdown. */
  breakdown_value: string | string[] | null;
}

export interface RetentionValue {
  count: number;
  /** The sum or average of the property, where one is asked for. */
  aggregation_value?: number;
  label: string;
}

/** Columns of `retentionTree`; where they are not wide, a column and its actors. */
export type RetentionRow = [cohort: number, ...cells: (number | string)[]];

/** What was counted of a value of the breakdown, by cohort. */
interface Found {
  values: string[];
  rows: Map<number, number[]>;
}

/** The rows of the statement as items: all cohorts, of each value of the breakdown; the values with the most in their cohorts first. */
export function itemsOf(
  plan: RetentionPlan,
  rows: readonly RetentionRow[],
): { results: RetentionItem[]; hasMore: boolean } {
  const width = cellsOf(plan);
  const found = new Map<string, Found>();
  if (plan.breakdown === null) found.set("", { values: [], rows: new Map() });
  for (const [cohort, ...cells] of rows) {
    const counted = areWide(plan) ? width : 2;
    const values = cells.slice(counted).map(String);
    const key = plan.breakdown === null ? "" : JSON.stringify(values);
    if (!found.has(key)) found.set(key, { values, rows: new Map() });
    const cohorts = found.get(key)!.rows;
    if (areWide(plan)) cohorts.set(Number(cohort), cells.slice(0, width).map(Number));
    else setColumn(cohorts, cohort, Number(cells[0]), Number(cells[1]));
  }
  const all = [...found.values()].sort(inOrder);
  const hasMore = all.some(isOther);
  const hidesOther = plan.query.breakdownFilter?.breakdown_hide_other_aggregation === true;
  const shown = hidesOther ? all.filter((one) => !isOther(one)) : all;
  return { results: shown.flatMap((one) => cohortItems(plan, one)), hasMore };
}

/** Those that nobody is in stay missing. */
function setColumn(cohorts: Map<number, number[]>, cohort: number, column: number, actors: number): void {
  const columns = cohorts.get(cohort) ?? [];
  columns[column] = actors;
  cohorts.set(cohort, columns);
}

const cellsOf = ({ columns, summed }: RetentionPlan): number => (columns.length + 1) * (summed === null ? 1 : 2);

const isOther = ({ values }: Found): boolean => values.includes(OTHER_VALUE);

const sizeOf = ({ rows }: Found): number => rows.values().reduce((sum, [size = 0]) => sum + size, 0);

function inOrder(a: Found, b: Found): number {
  const [left, right] = [a.values.join("\0"), b.values.join("\0")];
  return Number(isOther(a)) - Number(isOther(b)) || sizeOf(b) - sizeOf(a) || (left < right ? -1 : left > right ? 1 : 0);
}

function cohortItems(plan: RetentionPlan, { values, rows }: Found): RetentionItem[] {
  const name = periodName(plan.query.retentionFilter);
  const shown = values.map((value) => (value === NULL_VALUE ? "" : value));
  const value = shown.length > 1 ? shown : (shown[0] ?? null);
  return plan.cohorts.buckets!.starts.map((start, cohort) => ({
    values: valuesOf(plan, rows.get(cohort) ?? []),
    label: `${name} ${cohort}`,
    date: formatIso(start),
    breakdown_value: value,
  }));
}

function valuesOf(plan: RetentionPlan, cells: readonly number[]): RetentionValue[] {
  const { columns, summed, samplingFactor } = plan;
  const labels = [`${periodName(plan.query.retentionFilter)} 0`, ...columns.map(({ label }) => label)];
  return labels.map((label, i) => {
    const found = cells[i] ?? 0;
    const count = scaled(found, samplingFactor, "total");
    if (summed === null) return { count, label };
    const sum = cells[labels.length + i] ?? 0;
    const value = summed.isAverage ? (found === 0 ? 0 : sum / found) : scaled(sum, samplingFactor, "sum");
    return { count, aggregation_value: value, label };
  });
}
