import { afterAll, expect, test } from "bun:test";
import type { ActionStep, QueryRecords } from "../../src/query/mod.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { failure, hogql, NO_STEP } from "./support.ts";

const at = (time: string) => Date.parse(`2020-01-${time}Z`);
const visit = (session: string, event: string, time: string, more: Record<string, unknown> = {}): TestEvent => ({
  event,
  distinctId: "a",
  timestampMs: at(time),
  properties: { $session_id: session, ...more },
});

const lake = await MemoryLake.open([
  visit("s1", "$pageview", "10T23:50:00", {
    $current_url: "https://x.com/in?utm=1",
    utm_source: "mail",
    n: "2",
    on: true,
  }),
  visit("s1", "$autocapture", "10T23:55:00", { when: "2020-01-01T00:00:00Z", n: "x", on: "maybe" }),
  visit("s1", "$pageview", "11T00:05:00", { $current_url: "https://x.com/out" }),
  visit("s2", "$pageview", "12T10:00:00", { $current_url: "https://x.com/in" }),
  { event: "bare", distinctId: "b", timestampMs: at("12T11:00:00") },
  {
    event: "$autocapture",
    distinctId: "b",
    timestampMs: at("12T12:00:00"),
    elementsChain: 'a.link:attr_id="go"href="/y"text="Go";div:text="Box"',
  },
]);
await lake.addPersons([{ distinctIds: ["a", "a2"], properties: { plan: "pro", age: 33 } }, { distinctIds: ["b"] }]);
afterAll(() => lake.close());

const records: QueryRecords = {
  ...NO_RECORDS,
  propertyType: (owner, key) => {
    if (owner.type === "person") return key === "age" ? "Numeric" : null;
    return ({ n: "Numeric", on: "Boolean", when: "DateTime" } as const)[key] ?? null;
  },
  cohort: (id) => (id === 7 ? cohort : null),
  cohortNamed: (name) => (name === "pros" ? cohort : null),
  action: (id) => (id === 5 ? { id: 5, name: "looked", steps: [step] } : null),
  actionNamed: (name) => (name === "looked" ? { id: 5, name, steps: [step] } : null),
};
const cohort = {
  id: 7,
  name: "pros",
  isStatic: false,
  properties: { type: "AND", values: [{ type: "person", key: "plan", value: "pro", operator: "exact" }] },
  personIds: [],
};
const step: ActionStep = { ...NO_STEP, event: "$pageview", url: "/in", urlMatching: "contains" };

const rows = async (query: string) => (await hogql(lake, query, { records })).results;

test("a session is made of all its events, across midnight and whatever else is filtered", async () => {
  expect(
    await rows(
      "select session_id, $session_duration, $pageview_count, $entry_pathname, $end_pathname, $entry_utm_source, $is_bounce, $num_uniq_urls from sessions order by 1",
    ),
  ).toEqual([
    ["s1", 900, 2, "/in", "/out", "mail", false, 2],
    ["s2", 0, 1, "/in", "/in", null, true, 1],
  ]);
  expect(
    await rows(
      "select session.$session_duration, session.id from events where timestamp >= '2020-01-11' order by timestamp",
    ),
  ).toEqual([
    [900, "s1"],
    [0, "s2"],
    [null, null],
    [null, null],
  ]);
  const day = 86_400_000;
  expect(lake.lastRange).toEqual({ fromMs: at("11T00:00:00") - day, toMs: null });
  expect(await rows("select count() from sessions where $start_timestamp < '2020-01-11'")).toEqual([[1]]);
  expect(lake.lastRange).toEqual({ fromMs: null, toMs: at("11T00:00:00") + day - 1 });
});

test("a property is what its definition says, and NULL where it holds no such thing", async () => {
  const query =
    "select properties.n, properties.on, properties.when, properties.n + 1 from events order by timestamp limit 2";
  const response = await hogql(lake, query, { records });
  expect(response.results).toEqual([
    [2, true, null, 3],
    [null, null, "2020-01-01T00:00:00Z", null],
  ]);
  expect(response.types.map(([, type]) => type)).toEqual([
    "Nullable(Float64)",
    "Nullable(Bool)",
    "Nullable(DateTime64(6, 'UTC'))",
    "Nullable(Float64)",
  ]);
  expect(await rows("select count() from events where properties.n > 1 and properties.on")).toEqual([[1]]);
  expect(await rows("select count() from events where properties.on = 'true' or properties.n = '2'")).toEqual([[1]]);
  expect(await rows("select distinct person.properties.age + 1 from events where distinct_id = 'a'")).toEqual([[34]]);
  expect((await hogql(lake, "select properties.n from events order by timestamp limit 1")).results).toEqual([["2"]]);
});

test("persons have a row for each of their distinct ids where those are asked for", async () => {
  expect(await rows("select properties.plan, pdi.distinct_id from persons order by 2")).toEqual([
    ["pro", "a"],
    ["pro", "a2"],
    [null, "b"],
  ]);
  expect(await rows("select count() from persons")).toEqual([[2]]);
});

test("what was clicked is read off the chain of elements", async () => {
  const columns = ["href", "texts", "ids", "elements"].map((part) => `elements_chain_${part}`).join(", ");
  expect(await rows(`select ${columns} from events where distinct_id = 'b' order by timestamp`)).toEqual([
    ["", [], [], []],
    ["/y", ["Go", "Box"], ["go"], ["a"]],
  ]);
});

test("cohorts and actions are named by their id or name", async () => {
  expect(await rows("select count() from events where person_id in cohort 7")).toEqual([[4]]);
  const byVariable = { variables: { 1: { variableId: "1", code_name: "c", value: 7 } } };
  const query = "select count() from events where person_id in cohort {variables.c}";
  expect((await hogql(lake, query, { records }, byVariable)).results).toEqual([[4]]);
  expect(await rows("select count() from events where person_id not in cohort 'pros'")).toEqual([[2]]);
  expect(await rows("select countIf(matchesAction('looked')), countIf(not matchesAction(5)) from events")).toEqual([
    [2, 4],
  ]);
  expect(await rows("select count() from persons where id in cohort 'pros'")).toEqual([[1]]);
  expect((await failure(hogql(lake, "select count() from persons where matchesAction(5)", { records }))).message).toBe(
    "matchesAction needs the events in FROM.",
  );
});
