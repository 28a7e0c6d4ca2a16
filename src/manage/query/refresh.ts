import type { Json } from "../../types/mod.ts";
import { invalidField } from "../http/errors.ts";

export const REFRESH_MODES = [
  "force_cache",
  "blocking",
  "async",
  "lazy_async",
  "force_blocking",
  "force_async",
  "async_except_on_cache_miss",
] as const;
export type RefreshMode = (typeof REFRESH_MODES)[number];

/** Modes that answer with a result at once; the others need background calculation. */
export type DirectMode = "force_cache" | "blocking" | "force_blocking";

/** What the cache holds: nothing, a result that is young enough for its query, or an older one. */
export type CacheState = "miss" | "fresh" | "stale";

/** What a mode does about each state. */
export const REFRESH_DECISIONS: Record<DirectMode, Record<CacheState, "cached" | "compute" | "nothing">> = {
  force_cache: { fresh: "cached", stale: "cached", miss: "nothing" },
  blocking: { fresh: "cached", stale: "compute", miss: "compute" },
  force_blocking: { fresh: "compute", stale: "compute", miss: "compute" },
};

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

/** Throws ApiError 400 for a mode that calculates in the background. */
export function requireDirect(mode: RefreshMode): DirectMode {
  if (mode === "force_cache" || mode === "blocking" || mode === "force_blocking") return mode;
  throw invalidField("refresh", "invalid_choice", `refresh mode ${mode} is not available yet`);
}
