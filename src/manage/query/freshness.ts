import type { CachedResult } from "../../metadata/mod.ts";
import type { Question } from "./question.ts";
import type { CacheState } from "./refresh.ts";

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
  { query, nowMs }: Pick<Question, "query" | "nowMs">,
  present: () => Inputs,
): Exclude<CacheState, "miss"> {
  const { freshMs, lazyMs } = query.ages;
  const ageMs = nowMs - cached.computedAtMs;
  if (ageMs <= freshMs || isExact(cached, present())) return "very_fresh";
  return ageMs <= lazyMs ? "somewhat_fresh" : "stale";
}
