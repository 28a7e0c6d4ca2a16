import type { Json } from "../../types/mod.ts";
import { wordParam } from "../http/query.ts";

export const REFRESH_MODES = [
  "force_cache",
  "blocking",
  "async",
  "lazy_async",
  "force_blocking",
  "force_async",
  "async_except_on_cache_miss",
] as const;
export const REFRESH_PARAM = wordParam("Whether the result may come from the cache, or is calculated.", REFRESH_MODES);
export type RefreshMode = (typeof REFRESH_MODES)[number];

/** What the cache holds: nothing, or a result by how far it can be trusted (see `stateOf`). */
export type CacheState = "miss" | "very_fresh" | "somewhat_fresh" | "stale";

/** What is answered (`cached`, `compute` or nothing), and whether a calculation in the background is begun. */
export type Decision = "nothing" | "cached" | "compute" | "enqueue" | "cached+enqueue";

/** What a mode does about each state of the cache: the whole of the refresh rules. */
const DECISIONS: Record<RefreshMode, Record<CacheState, Decision>> = {
  force_cache: { very_fresh: "cached", somewhat_fresh: "cached", stale: "cached", miss: "nothing" },
  blocking: { very_fresh: "cached", somewhat_fresh: "compute", stale: "compute", miss: "compute" },
  async: { very_fresh: "cached", somewhat_fresh: "cached+enqueue", stale: "cached+enqueue", miss: "enqueue" },
  lazy_async: { very_fresh: "cached", somewhat_fresh: "cached", stale: "cached+enqueue", miss: "enqueue" },
  force_blocking: { very_fresh: "compute", somewhat_fresh: "compute", stale: "compute", miss: "compute" },
  force_async: { very_fresh: "enqueue", somewhat_fresh: "enqueue", stale: "enqueue", miss: "enqueue" },
  async_except_on_cache_miss: {
    very_fresh: "cached",
    somewhat_fresh: "cached+enqueue",
    stale: "cached+enqueue",
    miss: "compute",
  },
};

export function decide(mode: RefreshMode, state: CacheState): Decision {
  return DECISIONS[mode][state];
}

const isMode = (value: unknown): value is RefreshMode => (REFRESH_MODES as readonly unknown[]).includes(value);

/**
 * The mode that a client's value means. Older clients send booleans: true is force_blocking, false is force_cache.
 * A value that means nothing is force_cache, never an error.
 */
export function parseRefresh(value: Json | undefined): RefreshMode {
  if (value === true) return "force_blocking";
  if (typeof value !== "string") return "force_cache";
  if (isMode(value)) return value;
  return ["true", "1", "yes", ""].includes(value.toLowerCase()) ? "force_blocking" : "force_cache";
}

/** What a mode means for a caller with a link only: it cannot force a calculation, and always gets a result. */
export function sharedRefresh(mode: RefreshMode): RefreshMode {
  if (mode === "force_blocking" || mode === "blocking") return "blocking";
  return mode === "async" ? "async" : "lazy_async";
}
