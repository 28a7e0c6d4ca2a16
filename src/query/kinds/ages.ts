import { DAY_MS, type JsonObject } from "../../types/mod.ts";
import type { Ages } from "./kind.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PAUSE = { clientPauseMs: MINUTE_MS };

/** By the interval that a query counts in. */
const AGES: Record<string, Ages> = {
  minute: { freshMs: 5 * MINUTE_MS, lazyMs: 15 * MINUTE_MS, ...PAUSE },
  hour: { freshMs: HOUR_MS, lazyMs: 2 * HOUR_MS, ...PAUSE },
  day: { freshMs: 6 * HOUR_MS, lazyMs: 12 * HOUR_MS, ...PAUSE },
  week: { freshMs: DAY_MS, lazyMs: DAY_MS, ...PAUSE },
  month: { freshMs: 2 * DAY_MS, lazyMs: 2 * DAY_MS, ...PAUSE },
};
const SAME_AGES: Record<string, string> = { second: "minute", quarter: "month", year: "month" };

/** Of insights, which have an interval. */
export function agesByInterval({ interval = "day" }: JsonObject): Ages {
  const named = typeof interval === "string" ? interval : "day";
  return AGES[SAME_AGES[named] ?? named] ?? AGES.day!;
}

/** Of all others (HogQL, listings): as of what counts in minutes. */
export const agesOfRows = (): Ages => AGES.minute!;
