import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runQuery } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { contextOf, emptyLake, failure, hogql, NO_STEP } from "./support.ts";

// Spring forward on 2020-03-08 in New York.
const NOW = "2020-03-10T15:30:20Z";
const uuid = (i: number) => `0190d6e2-0000-7000-8000-${String(i).padStart(12, "0")}`;

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(() => lake.close());

const behavior = (value: string, more: JsonObject = {}): JsonObject => ({
  type: "behavioral",
  value,
  key: "buy",
  event_type: "events",
  ...more,
});
const last = (time_value: Json, time_interval: Json) => ({ time_value, time_interval });
const until = (seq_time_value: Json, seq_time_interval: Json) => ({ seq_time_value, seq_time_interval });

const ACTION = {
  id: 4,
  name: "big",
  steps: [{ ...NO_STEP, event: "buy", properties: [{ key: "n", operator: "gt", value: 5 }] }],
};
const contextWith = (properties: Json, timezone = "UTC") => ({
  timezone,
  nowMs: Date.parse(NOW),
  records: {
    ...NO_RECORDS,
    cohort: (id: number) => (id === 1 ? { id, name: "", isStatic: false, properties, personIds: [] } : null),
    action: (id: number) => (id === 4 ? ACTION : null),
  },
});

/** Which of the distinct ids are of persons in a cohort. Each event is `id event time`, with `n` where a number follows. */
async function members(events: string[], filter: JsonObject, timezone?: string): Promise<unknown[]> {
  await lake.empty();
  const read = events.map((text, i): TestEvent => {
    const [distinctId, event, time, n] = text.split(" ") as [string, string, string, string?];
    return {
      uuid: uuid(i),
      distinctId,
      event,
      timestampMs: Date.parse(time),
      properties: n === undefined ? {} : { n: Number(n) },
    };
  });
  await lake.add(read);
  const ids = [...new Set(read.map(({ distinctId }) => distinctId))].filter((id) => id !== "ghost");
  await lake.addPersons(ids.map((id) => ({ distinctIds: [id] })));
  const query = "SELECT distinct_id FROM person_distinct_ids WHERE person_id IN COHORT 1 ORDER BY distinct_id";
  return (await hogql(lake, query, contextWith([filter], timezone))).results.map(([id]) => id);
}

describe("windows of time", () => {
  const edges = [
    "a buy 2020-03-07T23:59:59.999Z",
    "b buy 2020-03-08T00:00:00Z",
    "c buy 2020-03-08T05:00:00Z",
    "d buy 2020-03-10T23:59:59.999Z",
    "e buy 2020-03-11T00:00:00Z",
    "f buy 2020-03-11T03:59:59.999Z",
    "ghost buy 2020-03-10T12:00:00Z",
  ];
  const did = (more: JsonObject, timezone?: string) => members(edges, behavior("performed_event", more), timezone);

  test("of days are whole ones, from the first up to the end of today, and only persons are counted", async () => {
    expect(await did(last(2, "day"))).toEqual(["b", "c", "d"]);
    expect(await did(last("2", "day"))).toEqual(["b", "c", "d"]);
    expect(await did({ ...last(2, "day"), negation: true })).toEqual(["a", "e", "f"]);
  });
  test("are of the project's zone, over a change of the clock", async () => {
    expect(await did(last(2, "day"), "America/New_York")).toEqual(["c", "d", "e", "f"]);
  });
  test("of hours and minutes begin with a whole one", async () => {
    const minutes = ["a buy 2020-03-10T15:09:59.999Z", "b buy 2020-03-10T15:10:00Z", "c buy 2020-03-10T15:40:00Z"];
    expect(await members(minutes, behavior("performed_event", last(20, "minute")))).toEqual(["b", "c"]);
    const hours = ["a buy 2020-03-10T13:59:59.999Z", "b buy 2020-03-10T14:00:00Z"];
    expect(await members(hours, behavior("performed_event", last(1, "hour")))).toEqual(["b"]);
  });
  test("may be dates", async () => {
    const dates = { explicit_datetime: "2020-03-07", explicit_datetime_to: "2020-03-08" };
    expect(await did(dates)).toEqual(["a", "b", "c"]);
    expect(await did({ explicit_datetime: "-2d" })).toEqual(["b", "c", "d"]);
    expect(await did({ explicit_datetime: "2020-03-09", explicit_datetime_to: "2020-03-01" })).toEqual([]);
  });
});

test("a few times is not never", async () => {
  const events = [
    "a buy 2020-03-10T10:00:00Z",
    "b buy 2020-03-10T10:00:00Z",
    "b buy 2020-03-10T10:00:00Z",
    "c view 2020-03-10T10:00:00Z",
  ];
  const times = (operator: string, operator_value: number) =>
    members(events, behavior("performed_event_multiple", { ...last(1, "day"), operator, operator_value }));
  expect(await times("lte", 1)).toEqual(["a"]);
  expect(await times("gte", 1)).toEqual(["a", "b"]);
  expect(await times("exact", 2)).toEqual(["b"]);
});

test("an action with filters, and filters of the event", async () => {
  const events = ["a buy 2020-03-10T10:00:00Z 9", "b buy 2020-03-10T10:00:00Z 2", "c buy 2020-03-10T10:00:00Z"];
  expect(
    await members(events, behavior("performed_event", { ...last(1, "day"), key: "4", event_type: "actions" })),
  ).toEqual(["a"]);
  const event_filters = [{ key: "n", operator: "is_set", type: "event" }];
  expect(await members(events, behavior("performed_event", { ...last(1, "day"), event_filters }))).toEqual(["a", "b"]);
});

test("the first time is the very first one, with the filters then", async () => {
  const events = [
    "a buy 2019-01-01T00:00:00Z 1",
    "a buy 2020-03-10T10:00:00Z 1",
    "b buy 2020-03-10T10:00:00Z",
    "b buy 2020-03-10T10:00:00Z 1",
    "c buy 2020-03-10T10:00:00Z 1",
  ];
  const first = (more: JsonObject) =>
    members(events, behavior("performed_event_first_time", { ...last(7, "day"), ...more }));
  expect(await first({})).toEqual(["b", "c"]);
  expect(await first({ event_filters: [{ key: "n", operator: "is_set", type: "event" }] })).toEqual(["c"]);
});

test("stopped and restarted", async () => {
  const events = [
    "old buy 2020-01-01T10:00:00Z",
    "old buy 2020-03-10T10:00:00Z",
    "gone buy 2020-03-04T10:00:00Z",
    "true buy 2020-01-01T10:00:00Z",
    "true buy 2020-03-04T10:00:00Z",
    "true buy 2020-03-10T10:00:00Z",
    "new buy 2020-03-10T10:00:00Z",
  ];
  const parts = { ...last(7, "day"), ...until(2, "day") };
  expect(await members(events, behavior("stopped_performing_event", parts))).toEqual(["gone"]);
  expect(await members(events, behavior("restarted_performing_event", parts))).toEqual(["old"]);
});

test("regularly: in so many of the last whole periods", async () => {
  const events = [
    "a buy 2020-03-10T10:00:00Z",
    "a buy 2020-03-09T10:00:00Z",
    "b buy 2020-03-09T10:00:00Z",
    "b buy 2020-03-07T10:00:00Z",
    "c buy 2020-03-09T10:00:00Z",
    "c buy 2020-03-06T10:00:00Z",
  ];
  const regular = { ...last(1, "day"), operator: "gte", operator_value: 1, min_periods: 2, total_periods: 3 };
  expect(await members(events, behavior("performed_event_regularly", regular))).toEqual(["b"]);
  const seldom = { ...regular, operator: "lte", min_periods: 1 };
  expect(
    await members(
      ["d buy 2020-03-09T10:00:00Z", "d buy 2020-03-09T11:00:00Z", "e buy 2020-03-10T10:00:00Z"],
      behavior("performed_event_regularly", seldom),
    ),
  ).toEqual([]);
});

test("a sequence: another event, not later than allowed, at one instant too", async () => {
  const events = [
    "late buy 2020-03-10T10:00:00Z",
    "late view 2020-03-10T11:00:00.001Z",
    "just buy 2020-03-10T10:00:00Z",
    "just view 2020-03-10T11:00:00Z",
    "same view 2020-03-10T10:00:00Z",
    "same buy 2020-03-10T10:00:00Z",
    "back view 2020-03-10T09:59:00Z",
    "back buy 2020-03-10T10:00:00Z",
    "twice buy 2020-03-10T10:00:00Z",
    "twice buy 2020-03-10T10:30:00Z",
  ];
  const sequence = (seq_event: string) =>
    members(
      events,
      behavior("performed_event_sequence", {
        ...last(1, "day"),
        ...until(1, "hour"),
        seq_event,
        seq_event_type: "events",
      }),
    );
  expect(await sequence("view")).toEqual(["just", "same"]);
  expect(await sequence("buy")).toEqual(["twice"]);
});

describe("what cannot be meant is refused by its place", () => {
  const parts = { ...last(7, "day"), ...until(2, "day") };
  test.each<[JsonObject, string]>([
    [behavior("danced"), "value: must be one of performed_event,"],
    [{ ...behavior("performed_event", last(1, "day")), nonsense: 1 }, "nonsense: unknown field"],
    [
      behavior("performed_event", { ...last(1, "day"), event_type: "pages" }),
      'event_type: must be events or actions, not "pages"',
    ],
    [behavior("performed_event", { ...last(1, "day"), key: "" }), "key: must be the name of an event"],
    [
      behavior("performed_event", { ...last(1, "day"), key: "x", event_type: "actions" }),
      "key: must be the id of an action",
    ],
    [behavior("performed_event", { ...last(1, "day"), key: 9, event_type: "actions" }), "key: there is no action 9"],
    [behavior("performed_event"), "time_value: must be a whole number from 1 to 10000, not nothing"],
    [behavior("performed_event", last(0, "day")), "time_value: must be a whole number"],
    [behavior("performed_event", last(1e308, "day")), "time_value: must be a whole number"],
    [behavior("performed_event", last(1.5, "day")), "time_value: Expected integer"],
    [behavior("performed_event", last(10_000, "year")), "time_value: reaches too far back"],
    [behavior("performed_event", last(1, "fortnight")), "time_interval: must be one of minute, hour,"],
    [behavior("performed_event", last(1, "constructor")), "time_interval: must be one of"],
    [behavior("performed_event", { explicit_datetime_to: "2020-01-01" }), "explicit_datetime: is missing"],
    [behavior("performed_event", { explicit_datetime: "0001-01-01" }), "explicit_datetime: reaches too far back"],
    [
      behavior("performed_event", { ...last(1, "day"), event_filters: [{ key: "k", operator: "sings", value: 1 }] }),
      "event_filters.0.operator",
    ],
    [behavior("performed_event", { ...last(1, "day"), negation: "yes" }), "negation: Expected boolean"],
    [
      behavior("performed_event_multiple", { ...last(1, "day"), operator: "like", operator_value: 1 }),
      "operator: must be one of gte,",
    ],
    [
      behavior("performed_event_multiple", { ...last(1, "day"), operator: "toString", operator_value: 1 }),
      "operator: must be one of",
    ],
    [
      behavior("performed_event_multiple", { ...last(1, "day"), operator_value: 0 }),
      "operator_value: must be a whole number",
    ],
    [behavior("stopped_performing_event", last(7, "day")), "seq_time_value: must be a whole number"],
    [
      behavior("stopped_performing_event", { ...last(7, "day"), ...until(1, "week") }),
      "seq_time_value: must be a shorter time",
    ],
    [
      behavior("restarted_performing_event", { ...parts, explicit_datetime: "-7d" }),
      "explicit_datetime: does not go with",
    ],
    [
      behavior("performed_event_regularly", { ...last(1, "day"), operator_value: 1, min_periods: 4, total_periods: 3 }),
      "min_periods: must not be more than total_periods, 3",
    ],
    [
      behavior("performed_event_regularly", {
        ...last(1, "day"),
        operator_value: 1,
        min_periods: 1,
        total_periods: 101,
      }),
      "total_periods: must be a whole number from 1 to 100",
    ],
    [
      behavior("performed_event_regularly", {
        ...last(99, "year"),
        operator_value: 1,
        min_periods: 1,
        total_periods: 100,
      }),
      "time_value: the periods reach too far back",
    ],
    [
      behavior("performed_event_sequence", { ...parts, seq_event: "view" }),
      "seq_event_type: must be events or actions",
    ],
  ])("%j", async (filter, message) => {
    const query = "SELECT count() FROM persons WHERE id IN COHORT 1";
    const { code, message: told } = await failure(hogql(emptyLake, query, contextWith([filter])));
    expect(code).toBe("invalid_query");
    expect(told).toContain(`cohort 1.0.${message}`);
  });

  test("and by its type where events are filtered", async () => {
    const node = { kind: "EventsQuery", select: ["event"], properties: [behavior("performed_event", last(1, "day"))] };
    const { message } = await failure(runQuery(node, contextOf(emptyLake)));
    expect(message).toContain('properties.0.type: a property of type "behavioral" is not supported');
  });

  test("a circle through the filters of an event", async () => {
    const event_filters = [{ type: "cohort", key: "id", value: 1 }];
    const filter = behavior("performed_event", { ...last(1, "day"), event_filters });
    const query = "SELECT count() FROM persons WHERE id IN COHORT 1";
    const { message } = await failure(hogql(emptyLake, query, contextWith([filter])));
    expect(message).toContain("cohort 1: contains itself: 1 → 1");
  });
});
