import { createHash } from "node:crypto";
import { type CachedResult, findCachedResults, readDataVersion, storeCachedResult } from "../../metadata/mod.ts";
import { describeError, type Json, type JsonObject } from "../../types/mod.ts";
import { settingOf } from "../environments/body.ts";
import { isoTime } from "../http/reply.ts";
import type { EnvironmentCall } from "../http/route.ts";
import { clientPauseMs, freshMs, isClosedRange } from "./freshness.ts";
import { sourceOf } from "./nodes.ts";
import { type CacheState, type DirectMode, REFRESH_DECISIONS } from "./refresh.ts";

/** Raised when the same query would be answered differently by newer code: old results are then not found. */
const RESULT_VERSION = 1;

/** The answer to a query, or that there is none in the cache. */
export interface Answer {
  /** What the query layer gave; null for a miss. */
  response: JsonObject | null;
  isCached: boolean;
  /** When its calculation began; null for a miss. */
  computedAtMs: number | null;
  cacheKey: string;
  source: JsonObject;
  timezone: string;
}

/**
 * Answers a query node from the cache or by calculating it, as `mode` says. `exact` (for questions that name no mode)
 * takes from the cache only what the data stored since has not made wrong.
 */
export async function answerQuery(
  call: EnvironmentCall,
  node: JsonObject,
  mode: DirectMode | "exact",
): Promise<Answer> {
  const { environment } = call;
  const source = sourceOf(node);
  const cacheKey = cacheKeyOf(call, source);
  const { cached, dataVersion } = await call.deps.db.read(async (tx) => ({
    cached: (await findCachedResults(tx, environment.id, [cacheKey])).get(cacheKey),
    dataVersion: await readDataVersion(tx, environment.id),
  }));
  const base = { cacheKey, source, timezone: environment.timezone };
  const response = cached === undefined ? null : parseCached(cached.result);
  const state: CacheState =
    cached === undefined || response === null ? "miss" : stateOf(cached, source, dataVersion, call.nowMs);
  const isOutdated = mode === "exact" && cached?.dataVersion !== dataVersion;
  const decision = isOutdated ? "compute" : REFRESH_DECISIONS[mode === "exact" ? "blocking" : mode][state];
  switch (decision) {
    case "nothing":
      return { ...base, response: null, isCached: false, computedAtMs: null };
    case "cached":
      return { ...base, response, isCached: true, computedAtMs: cached!.computedAtMs };
    case "compute":
      return { ...base, ...(await compute(call, node, cacheKey, dataVersion)) };
  }
}

function stateOf(cached: CachedResult, source: JsonObject, dataVersion: number, nowMs: number): CacheState {
  if (nowMs <= cached.computedAtMs + freshMs(source)) return "fresh";
  // Old, but of a past that nothing was added to.
  const isExact = cached.dataVersion === dataVersion && isClosedRange(source, cached.computedAtMs);
  return isExact ? "fresh" : "stale";
}

/** A result that cannot be read any more counts as a miss. */
function parseCached(text: string): JsonObject | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function compute(call: EnvironmentCall, node: JsonObject, cacheKey: string, dataVersion: number) {
  const { deps, environment, nowMs } = call;
  const { config } = deps;
  const result = await deps.runQuery(node, {
    teamId: environment.id,
    timezone: environment.timezone,
    weekStartDay: environment.weekStartDay === 1 ? 1 : 0,
    nowMs,
    lake: deps.lake,
    limits: {
      timeoutMs: config.queryTimeoutMs,
      maxRows: config.queryMaxRows,
      textMaxBytes: config.queryTextMaxBytes,
    },
    testAccountFilters: settingOf(environment, "test_account_filters"),
    signal: call.request.signal,
  });
  const text = JSON.stringify(result);
  const response: JsonObject = JSON.parse(text);
  if (!response.error) {
    const entry = { cacheKey, teamId: environment.id, result: text, dataVersion, computedAtMs: nowMs };
    // The answer is right even where it cannot be kept (a full disk).
    await storeCachedResult(deps.db, entry, config.queryCacheMaxBytes).catch((error) => {
      deps.log(`a result was not kept: ${describeError(error)}`);
    });
  }
  return { response, isCached: false, computedAtMs: nowMs };
}

/** Everything that the answer depends on besides the events. Not who asks, nor which insight. */
function cacheKeyOf(call: EnvironmentCall, source: JsonObject): string {
  const { tags: _, ...query } = source;
  const parts: JsonObject = {
    version: RESULT_VERSION,
    team: call.environment.id,
    timezone: call.environment.timezone,
    weekStartDay: call.environment.weekStartDay,
    testAccountFilters: settingOf(call.environment, "test_account_filters"),
    clock: call.hasTestClock ? call.nowMs : null,
    query,
  };
  return `cache_${createHash("sha256").update(sortedJson(parts)).digest("hex")}`;
}

/** JSON text that does not depend on the order of keys. */
function sortedJson(value: Json): string {
  return JSON.stringify(value, (_key, entry: Json) =>
    typeof entry === "object" && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}

/** The fields about the cache that every answer carries. */
export function cacheFields(answer: Answer) {
  const { computedAtMs, source } = answer;
  const after = (ms: number) => (computedAtMs === null ? null : isoTime(computedAtMs + ms));
  return {
    is_cached: answer.isCached,
    last_refresh: isoTime(computedAtMs),
    cache_target_age: after(freshMs(source)),
    next_allowed_client_refresh: after(clientPauseMs(source)),
    query_status: null,
  };
}
