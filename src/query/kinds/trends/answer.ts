import type { Period } from "../../insight/axis.ts";
import { evaluate } from "./formula.ts";
import type { FormulaPlan, TrendsPlan } from "./plan.ts";
import { classOf, compareTexts, isOther, lineItems, sorted, type TrendsItem, totalOf } from "./result.ts";
import type { TrendsRow } from "./rows.ts";

/** The items of an answer from the rows of its statement, and whether values of the breakdown were put together. */
export function answerOf(plan: TrendsPlan, rows: readonly TrendsRow[]): { results: TrendsItem[]; hasMore: boolean } {
  const items = lineItems(plan, rows);
  const all =
    plan.formulas.length > 0
      ? plan.formulas.flatMap((formula, i) => formulaItems(plan, formula, i, items))
      : seriesItems(plan, items);
  const hasMore = all.some(isOther);
  const hidesOther = plan.query.breakdownFilter?.breakdown_hide_other_aggregation === true;
  return { results: hidesOther ? all.filter((item) => !isOther(item)) : all, hasMore };
}

/** Cohorts are in the order asked where "all users" is among them, else by their totals as all other values. */
function seriesItems(plan: TrendsPlan, items: TrendsItem[][]): TrendsItem[] {
  const { breakdown, lines } = plan;
  if (breakdown?.kind !== "cohorts" || breakdown.ids.includes("all")) return items.flat();
  const groups = Map.groupBy(items.keys(), (i) => `${lines[i]!.period.label} ${lines[i]!.series.order}`);
  return [...groups.values()].flatMap((group) => sorted(group.flatMap((i) => items[i]!)));
}

/** What a formula makes of the series: of each period, and of each value of the breakdown that some series has. */
function formulaItems(plan: TrendsPlan, formula: FormulaPlan, order: number, items: TrendsItem[][]): TrendsItem[] {
  return plan.periods.flatMap((period) => {
    const groups = new Map<string, TrendsItem[]>();
    plan.lines.forEach((line, i) => {
      if (line.period !== period) return;
      for (const item of items[i]!) {
        const key = JSON.stringify(item.breakdown_value ?? null);
        groups.set(key, [...(groups.get(key) ?? []), item]);
      }
    });
    const made = [...groups.values()].map((group) => formulaItem(plan, period, formula, order, group));
    return inOrder(made, plan.periods.length > 1);
  });
}

function formulaItem(
  plan: TrendsPlan,
  period: Period,
  { formula, label }: FormulaPlan,
  order: number,
  group: TrendsItem[],
): TrendsItem {
  const ofSeries = plan.query.series.map((_, i) => group.find((item) => item.order === i));
  const base = { ...group[0]!, label, order, action: null };
  if (period.buckets === null) {
    const values = ofSeries.map((item) => item?.aggregated_value ?? 0);
    return { ...base, data: null, count: 0, aggregated_value: evaluate(formula, values) };
  }
  const data = period.buckets.starts.map((_, bucket) =>
    evaluate(
      formula,
      ofSeries.map((item) => item?.data?.[bucket] ?? 0),
    ),
  );
  return { ...base, data, count: data.reduce((sum, value) => sum + value, 0) };
}

/** As PostHog has it: ties are in descending order of the data and the value, of two periods in ascending order of the value. */
function inOrder(items: TrendsItem[], isCompared: boolean): TrendsItem[] {
  const nameOf = (item: TrendsItem): string => JSON.stringify(item.breakdown_value ?? null);
  return items.toSorted((a, b) => {
    const first = classOf(a) - classOf(b) || totalOf(b) - totalOf(a);
    if (first !== 0) return first;
    if (isCompared) return compareTexts(nameOf(a), nameOf(b));
    return compareData(b.data ?? [], a.data ?? []) || compareTexts(nameOf(b), nameOf(a));
  });
}

function compareData(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((value, at) => value !== b[at]);
  return i < 0 ? 0 : a[i]! - b[i]!;
}
