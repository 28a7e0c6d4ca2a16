import { atMs, DAY_MS } from "../../types/mod.ts";

/** SQL text: the number since 1970 of the UTC day of an event. */
export const UTC_DAY = `("timestamp"::date - date '1970-01-01')`;

/** Days of a zone that follow each other and are of one length. */
interface Run {
  startMs: number;
  stepMs: number;
}

/** In order, such that every time of these UTC days (numbers since 1970, ascending) lies in a day of the last run before it. */
function runsOf(utcDays: readonly number[], timezone: string): Run[] {
  const runs: Run[] = [];
  for (const utcDay of utcDays) {
    let day = atMs(utcDay * DAY_MS, timezone).startOfDay();
    while (day.epochMilliseconds < (utcDay + 1) * DAY_MS) {
      const next = day.toPlainDate().add({ days: 1 }).toZonedDateTime(timezone);
      const startMs = day.epochMilliseconds;
      const stepMs = next.epochMilliseconds - startMs;
      const last = runs.at(-1);
      const goesOn = last?.stepMs === stepMs && (startMs - last.startMs) % stepMs === 0;
      if (!goesOn) runs.push({ startMs, stepMs });
      day = next;
    }
  }
  return runs;
}

/**
 * SQL text: when the day of a zone began that holds a time, in epoch milliseconds; `ms` is the text of one that lies in these
 * UTC days. Plain arithmetic, with a binary search over the changes of the clock.
 */
export function dayStart(ms: string, utcDays: readonly number[], timezone: string): string {
  const runs = runsOf(utcDays, timezone);
  const within = (low: number, high: number): string => {
    const { startMs, stepMs } = runs[low]!;
    if (low === high) return `(${startMs} + (${ms} - ${startMs}) // ${stepMs} * ${stepMs})`;
    const middle = (low + high + 1) >> 1;
    return `case when ${ms} < ${runs[middle]!.startMs} then ${within(low, middle - 1)} else ${within(middle, high)} end`;
  };
  return within(0, runs.length - 1);
}
