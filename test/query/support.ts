import { loadConfig } from "../../src/config.ts";
import type { Lake } from "../../src/lake/mod.ts";
import {
  type ActionStep,
  type HogqlResponse,
  type QueryContext,
  runQuery,
  type TrendsResponse,
  textLimitsOf,
} from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";

/** Those of the default settings, but that a busy machine may take its time to parse. */
export const TEXT_LIMITS = { ...textLimitsOf(loadConfig({})), parseMs: 60_000 };

export function contextOf(lake: Lake, options: Partial<QueryContext> = {}): QueryContext {
  return {
    teamId: 1,
    timezone: "UTC",
    weekStartDay: 0,
    records: NO_RECORDS,
    nowMs: Date.parse("2024-01-01T00:00:00Z"),
    lake,
    limits: { timeoutMs: 60_000, maxRows: 50_000, text: TEXT_LIMITS },
    ...options,
  };
}

/** A step of an action that matches every event. */
export const NO_STEP: ActionStep = {
  event: null,
  properties: [],
  url: null,
  urlMatching: null,
  text: null,
  textMatching: null,
  href: null,
  hrefMatching: null,
  tagName: null,
  selector: null,
};

/** A lake without events. */
export const emptyLake: Lake = {
  async query() {
    return { columns: [], types: [], rowsJson: "[]", rowCount: 0, hasMore: false, elapsedMs: 0, files: 0, keys: [] };
  },
  async close() {},
};

export function trends(lake: Lake, node: { [key: string]: Json }, options: Partial<QueryContext> = {}) {
  return runQuery({ kind: "TrendsQuery", ...node }, contextOf(lake, options)) as Promise<TrendsResponse>;
}

/** What is answered to a node of any kind. */
export const ask = (node: { [key: string]: Json }, context: QueryContext) => runQuery(node, context);

export function hogql(
  lake: Lake,
  query: string,
  options: Partial<QueryContext> = {},
  more: { [key: string]: Json } = {},
) {
  return runQuery({ kind: "HogQLQuery", query, ...more }, contextOf(lake, options)) as Promise<HogqlResponse>;
}

/** The message of what a promise is rejected with. */
export async function failure(
  promise: Promise<unknown>,
): Promise<{ code: string; message: string; start?: number | null }> {
  try {
    await promise;
  } catch (error) {
    return error as Error & { code: string };
  }
  throw new Error("expected a failure");
}
