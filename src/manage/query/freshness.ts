import type { CachedResult } from "../../metadata/mod.ts";
import { DAY_MS, type JsonObject } from "../../types/mod.ts";
import { INSIGHT_KINDS } from "./nodes.ts";
import type { CacheState } from "./refresh.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Ages {
  /** How long a result is very fresh. */
  freshMs: number;
  /** How long those who would rather not wait take it still. */
  lazyMs: number;
}

/** By the interval that a query counts in. */
const AGES: Record<string, Ages> = {
  minute: { freshMs: 5 * MINUTE_MS, lazyMs: 15 * MINUTE_MS },
  hour: { freshMs: HOUR_MS, lazyMs: 2 * HOUR_MS },
  day: { freshMs: 6 * HOUR_MS, lazyMs: 12 * HOUR_MS },
  week: { freshMs: DAY_MS, lazyMs: DAY_MS },
  month: { freshMs: 2 * DAY_MS, lazyMs: 2 * DAY_MS },
};
const SAME_AGES: Record<string, string> = { second: "minute", quarter: "month", year: "month" };

function agesOf(source: JsonObject): Ages {
  // All other kinds (HogQL, listings) age like one counted in minutes.
  if (!INSIGHT_KINDS.has(String(source.kind))) return AGES.minute!;
  const interval = typeof source.interval === "string" ? source.interval : "day";
  return AGES[SAME_AGES[interval] ?? interval] ?? AGES.day!;
}

/** Milliseconds that a result of this source node (see `sourceOf`) stays very fresh. */
export function freshMs(source: JsonObject): number {
  return agesOf(source).freshMs;
}

/** Pause that a client should keep before it asks for a calculation again; advice only. */
export function clientPauseMs(source: JsonObject): number {
  return source.kind === "TrendsQuery" ? 3 * MINUTE_MS : MINUTE_MS;
}

/** What must be equal for a result to be the answer still (engine rule 21). */
export interface Inputs {
  /** Of all that is stored for the project. One counter today; a query may come to name those of what it read. */
  dataVersion: number;
  /** The dates it means; null where it depends on the moment. */
  basis: string | null;
}

/** Whether a calculation would give the same again. */
export function isExact(cached: Inputs, present: Inputs): boolean {
  return present.basis !== null && cached.basis === present.basis && cached.dataVersion === present.dataVersion;
}

/** How far a kept result can be trusted. One that is known to be exact is as good as new, however old. */
export function stateOf(
  cached: CachedResult,
  source: JsonObject,
  nowMs: number,
  present: () => Inputs,
): Exclude<CacheState, "miss"> {
  const { freshMs, lazyMs } = agesOf(source);
  const ageMs = nowMs - cached.computedAtMs;
  if (ageMs <= freshMs || isExact(cached, present())) return "very_fresh";
  return ageMs <= lazyMs ? "somewhat_fresh" : "stale";
}
