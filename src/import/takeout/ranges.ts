import { DAY_MS } from "../../types/mod.ts";

const WEEK_DAYS = 7;

/** A range of times, epoch milliseconds; the end is not part of it. */
export interface Range {
  fromMs: number;
  toMs: number;
}

/**
 * Cuts a range at midnights (UTC), at most a week each, as much as PostHog gives at once. An end that is later only adds ranges,
 * but for those of its last week.
 */
export function weeksOf({ fromMs, toMs }: Range): Range[] {
  const ranges: Range[] = [];
  for (let at = fromMs; at < toMs; ) {
    const end = Math.min(toMs, (Math.floor(at / DAY_MS) + WEEK_DAYS) * DAY_MS);
    ranges.push({ fromMs: at, toMs: end });
    at = end;
  }
  return ranges;
}

/** The same, with the last, unfinished week day by day: what was brought yesterday is not brought again today. */
export function weeksAndDaysOf(range: Range): Range[] {
  const weeks = weeksOf(range);
  const last = weeks.pop();
  if (last === undefined) return [];
  if (last.toMs - last.fromMs >= WEEK_DAYS * DAY_MS) return [...weeks, last];
  for (let at = last.fromMs; at < last.toMs; ) {
    const end = Math.min(last.toMs, (Math.floor(at / DAY_MS) + 1) * DAY_MS);
    weeks.push({ fromMs: at, toMs: end });
    at = end;
  }
  return weeks;
}

export const iso = (ms: number): string => new Date(ms).toISOString();
