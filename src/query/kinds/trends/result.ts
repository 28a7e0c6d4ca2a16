import type { Told } from "../../insight/answer.ts";
import { bucketCount, checkCells } from "../../insight/axis.ts";
import { NULL_VALUE, OTHER_VALUE } from "../../insight/breakdowns.ts";
import { scaled } from "../../insight/sampling.ts";
import { formatIso } from "../../time/zone.ts";
import type { QueryResponse } from "../kind.ts";
import type { Line, TrendsPlan } from "./plan.ts";
import type { TrendsRow } from "./rows.ts";
import { runningSum, smoothed } from "./smoothing.ts";

/** `hogql` gives the numbers before formulas, smoothing and running sums. */
export interface TrendsResponse extends QueryResponse, Told {
  results: TrendsItem[];
  /** Whether values of a breakdown were put together. */
  hasMore: boolean;
}

/** The numbers of a calendar, in PostHog's shape. Rows are weekdays (1: Monday), columns are hours; what has no events is absent. */
export interface CalendarData {
  data: { row: number; column: number; value: number }[];
  rowAggregations: { row: number; value: number }[];
  columnAggregations: { column: number; value: number }[];
  allAggregations: number;
}

/** One line, bar or number of the answer (docs/queries.md#items-of-a-trends-answer). */
export interface TrendsItem {
  /** Null for the total of a formula. */
  data: number[] | null;
  /** Absent for totals. */
  labels?: string[];
  days: string[];
  /** Sum of data; for running totals the last value; 0 for totals, which have `aggregated_value`. */
  count: number;
  aggregated_value?: number;
  /** Of a calendar alone. */
  calendar_heatmap_data?: CalendarData;
  label: string;
  /** Null for a formula. */
  action: Record<string, unknown> | null;
  filter: Record<string, unknown>;
  order: number;
  compare?: true;
  compare_label?: "current" | "previous";
  /** A cohort's id is a number; several properties have a list. */
  breakdown_value?: string | number | string[];
}

/** A number for each bucket, of a value of the breakdown. */
interface Counted {
  values: string[] | null;
  data: number[];
}

/** Rows to one list of items for each line, in order; empty buckets as zero. Errors: TerminalError `invalid_query` where they are too many. */
export function lineItems(plan: TrendsPlan, rows: readonly TrendsRow[]): TrendsItem[][] {
  const found = plan.lines.map(() => new Map<string, Counted>());
  let cells = 0;
  for (const [line, values, bucket, value] of rows) {
    const { series, period } = plan.lines[line]!;
    const key = JSON.stringify(values);
    const known = found[line]!.get(key);
    const entry = known ?? { values, data: new Array<number>(bucketCount(period)).fill(0) };
    if (known === undefined) {
      found[line]!.set(key, entry);
      cells += entry.data.length;
      checkCells(cells);
    }
    // A week or a month may begin before the range, never after it: the index lies within.
    entry.data[bucket] = scaled(value ?? 0, plan.query.samplingFactor ?? 1, series.node.math ?? "total");
  }
  return plan.lines.map((line, i) => {
    const entries = [...found[i]!.values()];
    const length = bucketCount(line.period);
    if (plan.breakdown === null && entries.length === 0)
      entries.push({ values: null, data: new Array(length).fill(0) });
    const head = headOf(plan, line);
    const items = entries.map(({ values, data }) => lineItem(plan, line, head, { values, data }));
    return sorted(items.filter((item) => !isMissing(item) || hasData(item)));
  });
}

const valuesOf = (item: TrendsItem): readonly unknown[] =>
  Array.isArray(item.breakdown_value) ? item.breakdown_value : [item.breakdown_value];
const isMissing = (item: TrendsItem): boolean => valuesOf(item).every((value) => value === NULL_VALUE);
const hasData = (item: TrendsItem): boolean => totalOf(item) !== 0 || (item.data ?? []).some((value) => value !== 0);

export const isOther = (item: TrendsItem): boolean => valuesOf(item).includes(OTHER_VALUE);

/** Values, then the missing one, then all others. */
export function classOf(item: TrendsItem): number {
  if (isOther(item)) return 2;
  return valuesOf(item).includes(NULL_VALUE) ? 1 : 0;
}

export function totalOf(item: TrendsItem): number {
  return item.aggregated_value ?? (item.data ?? []).reduce((sum, value) => sum + value, 0);
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** By total, the largest first; what ties by value. */
export function sorted(items: TrendsItem[]): TrendsItem[] {
  const keyed = items.map((item) => ({ item, total: totalOf(item), value: valuesOf(item).join("\0") }));
  keyed.sort((a, b) => classOf(a.item) - classOf(b.item) || b.total - a.total || compareTexts(a.value, b.value));
  return keyed.map(({ item }) => item);
}

/** What all items of a line say, whatever value they are of. */
function headOf(plan: TrendsPlan, line: Line) {
  const { series, period } = line;
  const label = series.name ?? "All events";
  return {
    label,
    action: action(line, label),
    filter: filter(plan, line),
    order: series.order,
    ...(plan.periods.length > 1 && ({ compare: true, compare_label: period.label } as const)),
  };
}

function lineItem(
  plan: TrendsPlan,
  { period, cohort }: Line,
  head: ReturnType<typeof headOf>,
  { values, data: counted }: Counted,
): TrendsItem {
  const told = cohort === null ? breakdownOf(plan, values) : { value: cohort.id, label: cohort.name };
  const broken = told && {
    breakdown_value: told.value,
    label: plan.query.series.length > 1 ? `${head.label} - ${told.label}` : told.label,
  };
  const buckets = period.buckets;
  if (buckets === null) return { data: [], days: [], count: 0, aggregated_value: counted[0]!, ...head, ...broken };
  const isCumulative = plan.shape === "cumulative";
  const intervals = plan.query.trendsFilter?.smoothingIntervals ?? 1;
  const summed = isCumulative ? runningSum(counted) : counted;
  const data = intervals > 1 ? smoothed(summed, intervals) : summed;
  const count = isCumulative ? (data.at(-1) ?? 0) : data.reduce((sum, value) => sum + value, 0);
  return { data, labels: buckets.labels, days: buckets.days, count, ...head, ...broken };
}

function breakdownOf({ breakdown }: TrendsPlan, values: string[] | null) {
  if (values === null || breakdown?.kind !== "properties") return null;
  return { value: breakdown.isList ? values : values[0]!, label: values.join("::") };
}

function action({ series, period }: Line, label: string): Record<string, unknown> {
  const { node } = series;
  return {
    days: period.buckets?.starts.map(formatIso) ?? [],
    id: series.name,
    type: node.kind === "ActionsNode" ? "actions" : "events",
    order: series.order,
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
function filter({ query, interval }: TrendsPlan, { period }: Line): Record<string, unknown> {
  const all: Record<string, unknown> = {
    insight: "TRENDS",
    properties: query.properties,
    filter_test_accounts: query.filterTestAccounts,
    date_from: formatIso(period.range.from),
    date_to: formatIso(period.range.to),
    interval,
    entity_type: "events",
    sampling_factor: query.samplingFactor,
    aggregation_group_type_index: query.aggregation_group_type_index,
    ...query.trendsFilter,
    ...query.breakdownFilter,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value != null));
}
