import { invalidQuery } from "../shape/errors.ts";
import { nextStart, startOfInterval } from "./buckets.ts";
import {
  back,
  type Calendar,
  type DateRange,
  type DateRangeNode,
  endOfDay,
  parseShift,
  type RangeOptions,
  resolveDateRange,
} from "./dates.ts";
import { atMs } from "./zone.ts";

/** The period that a node asks about (docs/queries.md#date-ranges). Errors: TerminalError `invalid_query`. */
export function currentPeriod(node: DateRangeNode | null, options: RangeOptions, calendar: Calendar): DateRange {
  const range = resolveDateRange(node, options, calendar);
  return node?.excludeIncompletePeriods ? wholeIntervals(range, options, calendar) : range;
}

/** Without the intervals that lie in the range, or in the past, in part only; as it is where none would be left. */
function wholeIntervals(range: DateRange, { interval }: RangeOptions, calendar: Calendar): DateRange {
  const startOf = (at: Temporal.ZonedDateTime) => startOfInterval(at, interval, calendar.weekStartDay);
  const first = startOf(range.from);
  const from = first.epochMilliseconds === range.from.epochMilliseconds ? range.from : nextStart(first, interval);
  // The last instant of an interval belongs to it: the whole of it is past with the next microsecond.
  const now = atMs(calendar.nowMs, calendar.timezone);
  const after = range.to.add({ microseconds: 1 });
  const end = startOf(Temporal.ZonedDateTime.compare(after, now) < 0 ? after : now);
  if (Temporal.ZonedDateTime.compare(from, end) >= 0) return range;
  return { from, to: end.subtract({ microseconds: 1 }) };
}

/**
 * The period that `current` is compared with: the one of the same length before it, or the one `compareTo` (`-1w`)
 * earlier. Errors: TerminalError `invalid_query` for another text.
 */
export function previousPeriod(
  current: DateRange,
  node: DateRangeNode | null,
  options: RangeOptions,
  compareTo: string | null,
): DateRange {
  if (compareTo === null) return periodBefore(current, node, options);
  const shift = parseShift(compareTo);
  if (shift === null)
    throw invalidQuery("compareFilter.compare_to", `must be like -1w, not "${compareTo.slice(0, 50)}"`);
  try {
    const to = back(current.to, shift.unit, shift.amount);
    return { from: back(current.from, shift.unit, shift.amount), to: isEndOfDay(current.to) ? endOfDay(to) : to };
  } catch {
    throw invalidQuery("compareFilter.compare_to", `"${compareTo.slice(0, 50)}" reaches too far back`);
  }
}

/** Moved by days in local time, so that times of day are the same; less than a day where buckets are minutes. */
function periodBefore(current: DateRange, node: DateRangeNode | null, options: RangeOptions): DateRange {
  const { from, to } = current;
  const length = from.toPlainDateTime().until(to.toPlainDateTime());
  const start = from.toPlainDateTime().subtract(length);
  if (options.exact || options.interval === "minute" || options.interval === "second") {
    return { from: start.toZonedDateTime(from.timeZoneId), to: from.subtract({ microseconds: 1 }) };
  }
  const { date_from: dateFrom, date_to: dateTo, excludeIncompletePeriods } = node ?? {};
  const shift = parseShift(dateFrom ?? "");
  // PostHog's "last 7 days" are eight: they are compared with those a whole week earlier, and so are multiples of them.
  const isWeeks = shift?.unit === "d" && shift.amount % 7 === 0 && !dateTo && !excludeIncompletePeriods;
  const days = start.toPlainDate().until(from.toPlainDate()).days - (options.interval === "day" && isWeeks ? 1 : 0);
  const end = to.subtract({ days });
  return { from: from.subtract({ days }), to: isEndOfDay(to) ? endOfDay(end) : end };
}

const isEndOfDay = (at: Temporal.ZonedDateTime): boolean => at.equals(endOfDay(at));
