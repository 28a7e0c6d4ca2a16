import { compileTree } from "../hogql/mod.ts";
import { and, call, field, from, select } from "../hogql/syntax/build.ts";
import { notSupported } from "../shape/errors.ts";
import type { QueryContext } from "../source/context.ts";
import { selectRows } from "../source/statement.ts";
import { type Calendar, type DateRange, type DateRangeNode, INTERVALS, type Interval } from "../time/dates.ts";
import { currentPeriod, previousPeriod } from "../time/periods.ts";
import { type Period, periodOf } from "./axis.ts";
import { exists, namesOf, type SeriesNode } from "./series.ts";

/** The members of a node that say which time it asks about. */
export interface Dated {
  interval?: string | null;
  dateRange?: DateRangeNode | null;
  compareFilter?: { compare?: boolean | null; compare_to?: string | null } | null;
}

/** The interval of a node, `day` where it names none. Errors: TerminalError `invalid_query` for one that there is not. */
export function intervalOf({ interval }: Dated): Interval {
  const known = INTERVALS.find((one) => one === (interval ?? "day"));
  if (known === undefined) throw notSupported("interval", `the interval "${interval}"`);
  return known;
}

/** Whether the ranges depend on the time of the first event. */
export const needsEarliest = ({ dateRange }: Dated): boolean => dateRange?.date_from === "all";

/**
 * The ranges that a node means now: the current one, and the one that it is compared with. `exact`: without padding to whole
 * intervals. Errors: TerminalError `invalid_query`.
 */
export function rangesOf(
  node: Dated,
  calendar: Calendar,
  { earliestMs = null, exact = false }: { earliestMs?: number | null; exact?: boolean } = {},
): DateRange[] {
  const options = { interval: intervalOf(node), exact, earliestMs };
  const dateRange = node.dateRange ?? null;
  const current = currentPeriod(dateRange, options, calendar);
  if (node.compareFilter?.compare !== true) return [current];
  return [current, previousPeriod(current, dateRange, options, node.compareFilter.compare_to || null)];
}

/** The ranges as periods. `isTotal`: without buckets. */
export function periodsOf(
  node: Dated,
  context: QueryContext,
  { earliestMs, exact = false, isTotal = false }: { earliestMs: number | null; exact?: boolean; isTotal?: boolean },
): Period[] {
  const interval = intervalOf(node);
  return rangesOf(node, context, { earliestMs, exact }).map((range, i) => {
    const isFirst = i === 0 && needsEarliest(node) && earliestMs !== null;
    return periodOf(range, { label: i === 0 ? "current" : "previous", interval, isTotal, isFirst }, context);
  });
}

/** The ranges as the basis of an answer. From the first event on: that is a matter of the data. Errors: as of `rangesOf`. */
export function datesOf(node: Dated, calendar: Calendar, exact = false): string {
  return rangesOf(node, calendar, { exact })
    .map(({ from, to }) => `${needsEarliest(node) ? "all" : from.epochMilliseconds}/${to.epochMilliseconds}`)
    .join(" ");
}

/** Time of the first event that a series may count, where the node's range depends on it; null elsewhere and where there is none. */
export async function earliestEvent(
  node: Dated,
  series: readonly SeriesNode[],
  context: QueryContext,
): Promise<number | null> {
  if (!needsEarliest(node)) return null;
  const known = series.filter((one) => exists(one, context));
  const earliest = call("toUnixTimestamp64Milli", call("min", field("timestamp")));
  const tree = select([earliest], { select_from: from("events"), where: and(namesOf(known)) });
  const { sql, span } = compileTree(tree, context);
  const [row] = await selectRows<[number | null]>(sql, { span, maxRows: 1 }, context);
  return row?.[0] ?? null;
}
