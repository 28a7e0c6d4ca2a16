import { afterAll, describe, expect, test } from "bun:test";
import { checkAction, eventValues } from "../../src/query/mod.ts";
import { SESSION_FIELDS } from "../../src/query/source/sessions.ts";
import type { Json } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { contextOf, NO_STEP, trends } from "./support.ts";
import { at, NOW, node } from "./trendsScene.ts";

const page = (session: string, distinctId: string, timestampMs: number, url: string, more: object = {}) => ({
  event: "$pageview",
  distinctId,
  timestampMs,
  properties: { $session_id: session, $current_url: url, ...more },
});

/** A long session that begins before the range, and a short one; both have one event of the range that is counted. */
const lake = await MemoryLake.open([
  page("long", "a", at(2, 23), "https://x.test/first?a=1", { utm_source: "mail" }),
  page("long", "a", at(3, 1), "https://x.test/last", { plan: "pro" }),
  page("short", "b", at(3, 5), "https://y.test/only", { plan: "free" }),
  { event: "$pageview", distinctId: "c", timestampMs: at(3, 6), properties: {} },
]);
afterAll(() => lake.close());

const filter = (key: string, operator: string, value: Json = null) => ({ type: "session", key, operator, value });

async function counts(filters: Json, math: string): Promise<number[]> {
  const dateRange = { date_from: "2020-01-03", date_to: "2020-01-03" };
  const series = [node("$pageview", { math })];
  const ofQuery = await trends(lake, { series, dateRange, properties: filters }, { nowMs: NOW });
  const own = [node("$pageview", { math, properties: filters })];
  const ofSeries = await trends(lake, { series: own, dateRange }, { nowMs: NOW });
  return [ofQuery, ofSeries].map(({ results }) => results[0]!.count!);
}

describe.each(["total", "dau"])("session filters of plain trends (%s)", (math) => {
  test.each<[string, string, Json, number]>([
    ["$session_duration", "gt", 60, 1],
    ["$session_duration", "exact", 7200, 1],
    ["duration", "lt", 60, 1],
    ["$entry_current_url", "icontains", "first", 1],
    ["$entry_pathname", "exact", "/only", 1],
    ["$end_pathname", "exact", "/last", 1],
    ["$entry_hostname", "exact", ["x.test", "y.test"], 2],
    ["$entry_utm_source", "exact", "mail", 1],
    ["$entry_utm_source", "is_not", "mail", 2],
    ["$pageview_count", "exact", 2, 1],
    ["$num_uniq_urls", "gte", 1, 2],
    ["$is_bounce", "exact", "true", 1],
    ["$start_timestamp", "is_date_before", "2020-01-03", 1],
  ])("%s %s %j", async (key, operator, value, expected) => {
    expect(await counts([filter(key, operator, value)], math)).toEqual([expected, expected]);
  });

  test("every field of sessions can be asked for", async () => {
    for (const key of SESSION_FIELDS.keys()) {
      const set = await counts([filter(key, "is_set")], math);
      const unset = await counts([filter(key, "is_not_set")], math);
      expect([key, set[0]! + unset[0]!, set[1]! + unset[1]!]).toEqual([key, 3, 3]);
    }
  });
});

test("a field that sessions do not have is refused by name", async () => {
  expect(counts([filter("$nothing", "is_set")], "total")).rejects.toThrow('sessions have no "$nothing"');
});

test("an action may ask for a session", () => {
  const long = { ...NO_STEP, properties: [filter("$session_duration", "gt", 60)] };
  const context = contextOf(lake, { nowMs: NOW, records: NO_RECORDS });
  expect(() => checkAction({ id: 1, name: "long", steps: [long] }, context)).not.toThrow();
});

test("values of a property may be asked for with a filter of sessions", async () => {
  const query = {
    key: "plan",
    isColumn: false,
    part: null,
    events: [],
    filters: [filter("$session_duration", "gt", 60)],
  };
  expect(await eventValues(query, contextOf(lake, { nowMs: NOW }))).toEqual(["pro"]);
});
