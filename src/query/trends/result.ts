import { formatIso } from "../zone.ts";
import type { SeriesPlan, TrendsPlan } from "./plan.ts";

/** One row of the statement. A value is null where no event of the bucket had a number. */
export type TrendsRow = [series: number, bucket: number, value: number | null];

/** One line, bar or number of the answer (reference §2). */
export interface TrendsItem {
  data: number[];
  /** Absent for totals. */
  labels?: string[];
  days: string[];
  /** Sum of data; for running totals the last value; 0 for totals, which have `aggregated_value`. */
  count: number;
  aggregated_value?: number;
  label: string;
  action: Record<string, unknown>;
  filter: Record<string, unknown>;
  order: number;
}

/** Rows to items, one for each series in the order asked, empty buckets as zero. */
export function trendsItems(plan: TrendsPlan, rows: readonly TrendsRow[]): TrendsItem[] {
  const length = plan.buckets?.starts.length ?? 1;
  const data = plan.series.map(() => new Array<number>(length).fill(0));
  for (const [series, bucket, value] of rows) {
    // A week or a month may begin before the range, never after it: the index lies within.
    if (value !== null) data[series]![bucket] = value;
  }
  return plan.series.map((series, i) => item(plan, series, i, data[i]!));
}

function item(plan: TrendsPlan, series: SeriesPlan, order: number, data: number[]): TrendsItem {
  const label = series.node.event ?? "All events";
  const common = { label, action: action(plan, series, order, label), filter: filter(plan), order };
  if (plan.buckets === null) return { data: [], days: [], count: 0, aggregated_value: data[0]!, ...common };
  const shown = plan.shape === "cumulative" ? runningSum(data) : data;
  const count = plan.shape === "cumulative" ? (shown.at(-1) ?? 0) : data.reduce((sum, value) => sum + value, 0);
  return { data: shown, labels: plan.buckets.labels, days: plan.buckets.days, count, ...common };
}

function runningSum(data: readonly number[]): number[] {
  let sum = 0;
  return data.map((value) => {
    sum += value;
    return sum;
  });
}

function action(plan: TrendsPlan, series: SeriesPlan, order: number, label: string): Record<string, unknown> {
  const { node } = series;
  return {
    days: plan.buckets?.starts.map(formatIso) ?? [],
    id: label,
    type: "events",
    order,
    name: label,
    custom_name: node.custom_name ?? null,
    math: node.math ?? null,
    math_property: node.math_property ?? null,
    math_hogql: node.math_hogql ?? null,
    math_group_type_index: node.math_group_type_index ?? null,
    properties: {},
  };
}

/** The question in the older form that PostHog's charts still read; nulls are left out. */
function filter(plan: TrendsPlan): Record<string, unknown> {
  const { query } = plan;
  const all: Record<string, unknown> = {
    insight: "TRENDS",
    properties: query.properties,
    filter_test_accounts: query.filterTestAccounts,
    date_from: formatIso(plan.range.from),
    date_to: formatIso(plan.range.to),
    interval: plan.interval,
    entity_type: "events",
    ...query.trendsFilter,
    ...query.breakdownFilter,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value != null));
}
