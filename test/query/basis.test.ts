import { describe, expect, test } from "bun:test";
import { type ActionRecord, type CohortRecord, ParsedQuery, runQuery, WatchedRecords } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { contextOf, emptyLake, NO_STEP } from "./support.ts";

const CALENDAR = { timezone: "UTC", weekStartDay: 0 as const, nowMs: Date.UTC(2020, 0, 10, 12) };
const DAY_MS = 86_400_000;
const basisOf = (node: Json, context: Parameters<ParsedQuery["basis"]>[0]) =>
  new ParsedQuery(node as JsonObject).basis(context);
const BOUGHT: Json = {
  type: "behavioral",
  value: "performed_event",
  key: "buy",
  event_type: "events",
  explicit_datetime: "2020-01-01",
};
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

test("the basis of a list of events is the times between which it asks, whether dates or cursors", () => {
  const basis = (more: { [key: string]: Json }, laterMs = 0) =>
    basisOf({ kind: "EventsQuery", ...more }, { ...CALENDAR, nowMs: CALENDAR.nowMs + laterMs });
  const cursor = "2020-01-02T00:00:00.000Z_0190d6e2-0000-7000-8000-000000000002";
  for (const closed of [
    { after: "all", before: cursor },
    { after: cursor, before: "2020-01-03" },
  ]) {
    expect(basis(closed)).not.toBeNull();
    expect(basis(closed)).toBe(basis(closed, 90 * DAY_MS));
  }
  expect(basis({ after: "-1d", before: cursor })).not.toBe(basis({ after: "-1d", before: cursor }, DAY_MS));
  expect(basis({ after: "all" })).toBeNull();
  expect(basis({ after: "all", before: "nonsense" })).toBeNull();
});

test("where the moment is part of the question there is none", () => {
  const lately: Json = [{ key: "seen", operator: "is_date_after", value: "-7d", type: "person" }];
  expect(basisOf(trend({ properties: lately }), CALENDAR)).toBeNull();
  // What persons of a cohort did is of other times than those that the trend shows.
  expect(basisOf({ kind: "ActorsQuery", properties: [BOUGHT] }, CALENDAR)).toBeNull();
  // A name that reads like an operator is none.
  const named: Json = [{ key: "hogql", operator: "exact", value: "is_date_after" }];
  expect(basisOf(trend({ properties: named }), CALENDAR)).not.toBeNull();
  const settings = { ...CALENDAR, testAccountFilters: lately };
  expect(basisOf(trend({ filterTestAccounts: true }), settings)).toBeNull();
  expect(basisOf(trend(), settings)).not.toBeNull();
});

describe("the moment is part of the question where a cohort or an action that is looked at has it", () => {
  const lately: Json = [{ key: "seen", operator: "is_date_after", value: "-7d", type: "person" }];
  const cohorts: CohortRecord[] = [
    { id: 1, name: "old", properties: [{ key: "plan", value: "pro", type: "person" }] },
    { id: 2, name: "new", properties: lately },
    { id: 3, name: "around new", properties: [{ type: "cohort", value: 2 }] },
    { id: 4, name: "buyers", properties: [BOUGHT] },
  ].map((cohort) => ({ isStatic: false, personIds: [], ...cohort }));
  const actions: ActionRecord[] = [
    { id: 1, name: "any", steps: [NO_STEP] },
    { id: 2, name: "late", steps: [NO_STEP, { ...NO_STEP, properties: lately }] },
    { id: 3, name: "of cohort", steps: [{ ...NO_STEP, properties: [{ type: "cohort", value: 3 }] }] },
  ];
  const known = {
    ...NO_RECORDS,
    cohort: (id: number) => cohorts.find((cohort) => cohort.id === id) ?? null,
    cohortNamed: (name: string) => cohorts.find((cohort) => cohort.name === name) ?? null,
    action: (id: number) => actions.find((action) => action.id === id) ?? null,
    actionNamed: (name: string) => actions.find((action) => action.name === name) ?? null,
  };
  const isMomentary = async (node: Json) => {
    const records = new WatchedRecords(known);
    await runQuery(node, contextOf(emptyLake, { records }));
    return records.isMomentary;
  };
  const inCohort = (value: number): Json => trend({ properties: [{ type: "cohort", value }] });
  const ofAction = (id: number): Json => trend({ series: [{ kind: "ActionsNode", id }] });
  const byCohort = (breakdown: number[]): Json => trend({ breakdownFilter: { breakdown, breakdown_type: "cohort" } });
  const hogql = (condition: string): Json => ({ kind: "HogQLQuery", query: `select 1 from events where ${condition}` });

  test.each<[Json, boolean]>([
    [trend(), false],
    [inCohort(1), false],
    [inCohort(2), true],
    [inCohort(3), true],
    [inCohort(4), true],
    [byCohort([1]), false],
    [byCohort([1, 4]), true],
    [byCohort([1, 2]), true],
    [ofAction(1), false],
    [ofAction(2), true],
    [ofAction(3), true],
    [hogql("person_id in cohort 1 and matchesAction('any')"), false],
    [hogql("person_id in cohort 'new'"), true],
    [hogql("matchesAction(2)"), true],
    [{ kind: "EventsQuery", actionId: 1 }, false],
    [{ kind: "EventsQuery", actionId: 2 }, true],
  ])("%j: %p", async (node, expected) => {
    expect(await isMomentary(node)).toBe(expected);
  });
});
