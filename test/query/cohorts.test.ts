import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CohortRecord, type EventsResponse, runQuery } from "../../src/query/mod.ts";
import { type Json, personIdOf } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { StoredLake } from "./storedLake.ts";
import { contextOf } from "./support.ts";

const START = Date.parse("2020-01-10T12:00:00Z");
const person = (key: string, operator: string, value: Json, more = {}) => ({
  type: "person",
  key,
  operator,
  value,
  ...more,
});
const cohort = (id: number, properties: Json, personIds: string[] = []): CohortRecord => ({
  id,
  name: `cohort ${id}`,
  isStatic: personIds.length > 0,
  properties,
  personIds,
});

const COHORTS = [
  cohort(1, { type: "OR", values: [{ type: "AND", values: [person("plan", "exact", ["pro"])] }] }),
  cohort(2, { type: "AND", values: [person("age", "gt", 40), { type: "cohort", key: "id", value: 1 }] }),
  cohort(3, { type: "AND", values: [{ type: "cohort", key: "id", value: "1", negation: true }] }),
  cohort(4, [person("plan", "is_not", "pro")]),
  cohort(5, [person("plan", "exact", "pro", { negation: true }), person("age", "is_set", "is_set")]),
  // "anon" has become a part of ann.
  cohort(6, null, [personIdOf(1, "anon"), personIdOf(1, "silent"), personIdOf(2, "bob")]),
  cohort(7, [{ type: "cohort", key: "id", value: 8 }]),
  cohort(8, [{ type: "cohort", key: "id", value: 7 }]),
  cohort(9, [{ type: "cohort", key: "id", value: 99 }]),
  cohort(10, [{ type: "behavioral", key: "buy", value: "performed_event" }]),
  cohort(11, { type: "OR", values: [] }),
];

let lake: StoredLake;
beforeAll(async () => {
  lake = await StoredLake.open();
  const event = (distinctId: string, event: string) => ({ event, distinctId, timestampMs: START });
  await lake.store(1, {
    events: ["ann", "anon", "bob", "cid", "ghost"].flatMap((id) => [event(id, "view"), event(id, "buy")]),
    persons: [
      { distinctIds: ["ann", "anon"], properties: { plan: "pro", age: 41 } },
      { distinctIds: ["bob"], properties: { plan: "pro", age: 9 } },
      { distinctIds: ["cid"], properties: { age: 50 } },
      { distinctIds: ["silent"] },
    ],
    groups: [],
  });
});
afterAll(() => lake.close());

const ask = async (node: { [key: string]: Json }): Promise<unknown[]> => {
  const records = { ...NO_RECORDS, cohort: (id: number) => COHORTS.find((candidate) => candidate.id === id) ?? null };
  const { results } = (await runQuery(node, contextOf(lake, { records }))) as EventsResponse;
  return results.map(([value]) => value);
};

/** The distinct ids whose events count. */
const whoIsIn = (id: Json, more: { [key: string]: Json } = {}) =>
  ask({
    kind: "EventsQuery",
    select: ["distinct_id"],
    event: "view",
    after: "all",
    orderBy: ["distinct_id"],
    properties: [{ type: "cohort", key: "id", value: id, ...more }],
  });
/** The same by an aggregate that looks at the cohort. */
const countedIn = (id: number) =>
  ask({
    kind: "HogQLQuery",
    query: `SELECT distinct_id FROM events GROUP BY distinct_id HAVING countIf(person_id IN COHORT ${id}) = 2 ORDER BY distinct_id`,
  });

describe("who is in a cohort", () => {
  test.each<[string, number, string[]]>([
    ["a property", 1, ["ann", "anon", "bob"]],
    ["a property and another cohort", 2, ["ann", "anon"]],
    ["not another cohort", 3, ["cid"]],
    ["a negative operator: persons without the property, nobody without a person", 4, ["cid"]],
    ["a negated filter", 5, ["cid"]],
    ["a list: merges are followed, another project's ids are nobody's", 6, ["ann", "anon"]],
    ["no condition: all persons", 11, ["ann", "anon", "bob", "cid"]],
  ])("%s", async (_, id, expected) => {
    expect(await whoIsIn(id)).toEqual(expected);
    expect(await countedIn(id)).toEqual(expected);
    const others = ["ann", "anon", "bob", "cid", "ghost"].filter((one) => !expected.includes(one));
    expect(await whoIsIn(id, { negation: true })).toEqual(others);
  });

  test("what cannot be compiled is refused by name", () => {
    expect(whoIsIn(7)).rejects.toThrow("cohort 7: contains itself: 7 → 8 → 7");
    expect(whoIsIn(9)).rejects.toThrow("cohort 9.0.value: there is no cohort 99");
    expect(whoIsIn(10)).rejects.toThrow("cohort 10.0.event_type: must be events or actions, not nothing");
    expect(whoIsIn("1 or 1")).rejects.toThrow('properties.0.value: there is no cohort "1 or 1"');
  });
});
