import { expect, test } from "bun:test";
import type { Lake } from "../../src/lake/mod.ts";
import type { ActionRecord } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { emptyLake, NO_STEP, trends } from "./support.ts";

const RANGE = { date_from: "2024-03-01", date_to: "2024-03-14" };
const view = { kind: "EventsNode", event: "view" };
const filtered = { properties: [{ type: "event", key: "k", operator: "exact", value: "a" }] };
const ACTIONS: ActionRecord[] = [
  {
    id: 1,
    name: "names only",
    steps: [
      { ...NO_STEP, event: "view" },
      { ...NO_STEP, event: "buy" },
    ],
  },
  { id: 2, name: "a page", steps: [{ ...NO_STEP, event: "view", url: "/" }] },
];

/** Which tables of the lake the statement of a trend reads. */
async function tablesOf(node: { [key: string]: Json }, options: Parameters<typeof trends>[2] = {}): Promise<string[]> {
  const records = { ...NO_RECORDS, action: (id: number) => ACTIONS.find((action) => action.id === id) ?? null };
  const asked = { series: [view], dateRange: RANGE, explain: true, ...node };
  const { explain } = await trends(emptyLake, asked, {
    records,
    nowMs: Date.parse("2024-03-20T12:00:00Z"),
    ...options,
  });
  return [...explain!.join("\n").matchAll(/FROM \(?(events|activity) AS t\d/g)].map(([, table]) => table!);
}

const byDay: Record<string, { [key: string]: Json }> = {
  "how many": {},
  "how many of all": { series: [{ kind: "EventsNode" }] },
  persons: { series: [{ ...view, math: "dau" }] },
  "persons of a month": { series: [{ ...view, math: "dau" }], interval: "month" },
  "persons of the last days": { series: [{ ...view, math: "weekly_active" }] },
  "first times": { series: [{ ...view, math: "first_time_for_user" }] },
  "how often each": { series: [{ ...view, math: "avg_count_per_actor" }] },
  "an action of names": { series: [{ kind: "ActionsNode", id: 1 }] },
  "the days before now": { dateRange: { date_from: "-7d" } },
  "an expression that counts": { series: [{ ...view, math: "hogql", math_hogql: "count()" }] },
  "a whole number of days as one": { trendsFilter: { display: "ActionsPie" } },
};

test.each(Object.keys(byDay))("whole days are enough for %s", async (what) => {
  expect(await tablesOf(byDay[what]!)).toEqual(["activity"]);
});

const byEvent: Record<string, { [key: string]: Json }> = {
  hours: { interval: "hour" },
  "an end within a day": { dateRange: { ...RANGE, date_to: "2024-03-14T12:00:00", explicitDate: true } },
  "until now": { trendsFilter: { display: "BoldNumber" }, dateRange: { date_from: "-7d" } },
  "a property": filtered,
  "a property of the series": { series: [{ ...view, ...filtered }] },
  "a property of first times": { series: [{ ...view, ...filtered, math: "first_time_for_user" }] },
  "a person's property": { properties: [{ type: "person", key: "k", operator: "exact", value: "a" }] },
  "a breakdown": { breakdownFilter: { breakdown: "k", breakdown_type: "event" } },
  "a sample": { samplingFactor: 0.5 },
  sessions: { series: [{ ...view, math: "unique_session" }] },
  "a sum": { series: [{ ...view, math: "sum", math_property: "n" }] },
  "an expression": { series: [{ ...view, math: "hogql", math_hogql: "max(timestamp)" }] },
  "the time of day": { properties: [{ type: "hogql", key: "toHour(timestamp) = 1" }] },
  "an action of a page": { series: [{ kind: "ActionsNode", id: 2 }] },
  groups: { series: [{ ...view, math: "unique_group", math_group_type_index: 0 }] },
};

test.each(Object.keys(byEvent))("for %s the events are read", async (what) => {
  const tables = await tablesOf(byEvent[what]!);
  expect(tables.length).toBeGreaterThan(0);
  expect(tables).not.toContain("activity");
});

test("series that need days only and others are read apart", async () => {
  const series = [view, { ...view, math: "dau" }, { ...view, math: "sum", math_property: "n" }];
  expect((await tablesOf({ series })).toSorted()).toEqual(["activity", "events"]);
});

test("a range of all begins with the day of the first event", async () => {
  const answers = ["[]", `[[${Date.parse("2024-03-05T15:00:00Z")}]]`];
  const lake: Lake = {
    ...emptyLake,
    query: async (query) => ({ ...(await emptyLake.query(query)), rowsJson: answers.pop()! }),
  };
  const node = { series: [view], dateRange: { date_from: "all" }, explain: true };
  const { explain } = await trends(lake, node, { nowMs: Date.parse("2024-03-20T12:00:00Z") });
  expect(explain!.at(-1)).toContain("FROM activity AS t0");
  expect(explain).toContain(`$1 = ${Date.parse("2024-03-05")}`);
});

test("distinct ids instead of persons are told by events", async () => {
  const series = [{ ...view, math: "dau" }];
  expect(await tablesOf({ series }, { aggregateByDistinctId: true })).toEqual(["events"]);
});
