import { type Period, periodOf } from "../../insight/axis.ts";
import { needsEarliest } from "../../insight/ranges.ts";
import { invalidQuery } from "../../shape/errors.ts";
import { nextStart, startOfInterval } from "../../time/buckets.ts";
import type { Calendar, DateRange } from "../../time/dates.ts";
import { currentPeriod } from "../../time/periods.ts";
import type { RetentionFilter, RetentionQuery } from "./node.ts";

const INTERVALS = { Hour: "hour", Day: "day", Week: "week", Month: "month" } as const;
export type RetentionInterval = (typeof INTERVALS)[keyof typeof INTERVALS];
const BACK = { hour: "hours", day: "days", week: "weeks", month: "months" } as const;

const DEFAULT_INTERVALS = 7;
/** What a number of JavaScript has bits for. */
export const MAX_COLUMNS = 52;
const MAX_ROWS = 1000;

/** What a row counts beside the size of its cohort. */
export interface Column {
  label: string;
  /** Intervals after that of the cohort, both ends within. */
  from: number;
  to: number;
}

export const periodName = ({ period }: RetentionFilter): keyof typeof INTERVALS => period ?? "Day";
export const intervalOf = (filter: RetentionFilter): RetentionInterval => INTERVALS[periodName(filter)];

/**
 * The range of the cohorts: whole intervals to the end of the one that `date_to` lies in, from the one of `date_from`, or as many as
 * `totalIntervals` says. Errors: TerminalError `invalid_query`.
 */
function rangeOf(
  { dateRange, retentionFilter }: RetentionQuery,
  calendar: Calendar,
  earliestMs: number | null = null,
): DateRange {
  const interval = intervalOf(retentionFilter);
  const startOf = (at: Temporal.ZonedDateTime) => startOfInterval(at, interval, calendar.weekStartDay);
  const hasFrom = Boolean(dateRange?.date_from);
  const asked = currentPeriod(
    { ...dateRange, date_from: hasFrom ? dateRange!.date_from! : LONG_AGO },
    { interval, earliestMs },
    calendar,
  );
  const end = nextStart(startOf(asked.to), interval);
  const count = retentionFilter.totalIntervals ?? DEFAULT_INTERVALS;
  const from = hasFrom ? asked.from : end.subtract({ [BACK[interval]]: count });
  return { from: startOf(from), to: end.subtract({ microseconds: 1 }) };
}

/** Any end of a range is later. */
const LONG_AGO = "0001-01-01";

/** The intervals of the cohorts. Errors: TerminalError `invalid_query` where there are too many. */
export function cohortsOf(query: RetentionQuery, calendar: Calendar, earliestMs: number | null): Period {
  const range = rangeOf(query, calendar, earliestMs);
  const interval = intervalOf(query.retentionFilter);
  const period = periodOf(range, { label: "current", interval, isTotal: false, isFirst: false }, calendar);
  if (period.buckets!.starts.length > MAX_ROWS) {
    throw invalidQuery("dateRange", `the range has more than ${MAX_ROWS} intervals of one ${interval}`);
  }
  return period;
}

/** The range as the basis of an answer. */
export function datesOf(query: RetentionQuery, calendar: Calendar): string {
  const { from, to } = rangeOf(query, calendar);
  return `${needsEarliest(query) ? "all" : from.epochMilliseconds}/${to.epochMilliseconds}`;
}

/** The columns behind the first: each an interval, or a bracket of several. Errors: TerminalError `invalid_query` where there are too many. */
export function columnsOf(filter: RetentionFilter): Column[] {
  const name = periodName(filter);
  const { retentionCustomBrackets: brackets, totalIntervals } = filter;
  const count = totalIntervals ?? DEFAULT_INTERVALS;
  if (!brackets?.length && count > MAX_COLUMNS) {
    throw invalidQuery("retentionFilter.totalIntervals", `at most ${MAX_COLUMNS} intervals, not ${count}`);
  }
  const sizes = brackets?.length ? brackets : new Array<number>(count - 1).fill(1);
  let to = 0;
  return sizes.map((size): Column => {
    const from = to + 1;
    to += size;
    return { label: size === 1 ? `${name} ${from}` : `${name} ${from}-${to}`, from, to };
  });
}
