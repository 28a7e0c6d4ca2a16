import { expect, test } from "bun:test";
import { basisOf } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";

const CALENDAR = { timezone: "UTC", weekStartDay: 0 as const, nowMs: Date.UTC(2020, 0, 10, 12) };
const DAY_MS = 86_400_000;
const trend = (more: { [key: string]: Json } = {}): Json => ({
  kind: "TrendsQuery",
  series: [{ kind: "EventsNode", event: "e" }],
  ...more,
});

test("the basis of a trend is the dates of all its periods", () => {
  const basis = (node: Json, laterMs = 0) => basisOf(node, { ...CALENDAR, nowMs: CALENDAR.nowMs + laterMs });
  expect(basis(trend())).toBe(basis(trend(), 1000));
  expect(basis(trend())).not.toBe(basis(trend(), DAY_MS));
  const closed = trend({ dateRange: { date_from: "2020-01-01", date_to: "2020-01-03" } });
  expect(basis(closed)).toBe(basis(closed, 90 * DAY_MS));
  const compared = trend({ dateRange: { date_from: "2020-01-01" }, compareFilter: { compare: true } });
  expect(basis(compared)!.split(" ")).toHaveLength(2);
});

test("where the moment is part of the question there is none", () => {
  const lately: Json = [{ key: "seen", operator: "is_date_after", value: "-7d", type: "person" }];
  expect(basisOf(trend({ properties: lately }), CALENDAR)).toBeNull();
  const settings = { ...CALENDAR, testAccountFilters: lately };
  expect(basisOf(trend({ filterTestAccounts: true }), settings)).toBeNull();
  expect(basisOf(trend(), settings)).not.toBeNull();
});
