import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cohortOf, inCohort } from "../../src/query/cohorts.ts";
import { EventsTable } from "../../src/query/events.ts";
import { type CohortRecord, NO_RECORDS } from "../../src/query/mod.ts";
import { render, sql } from "../../src/query/sql.ts";
import { type Json, personIdOf } from "../../src/types/mod.ts";
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

const context = () =>
  contextOf(lake, {
    records: { ...NO_RECORDS, cohort: (id) => COHORTS.find((candidate) => candidate.id === id) ?? null },
  });

/** The distinct ids whose events count. */
async function whoIsIn(id: number, form: "where" | "filter" = "where"): Promise<string[]> {
  const events = new EventsTable("e");
  const condition = inCohort(cohortOf(id, context(), "cohort"), events.personId(), context());
  const distinctId = events.column("distinct_id");
  const statement =
    form === "where"
      ? sql`SELECT DISTINCT ${distinctId} FROM ${events.from()} WHERE ${condition} ORDER BY 1`
      : sql`SELECT ${distinctId} FROM ${events.from()} GROUP BY 1 HAVING count(*) FILTER (WHERE ${condition}) = 2 ORDER BY 1`;
  const { rowsJson } = await lake.query({
    teamId: 1,
    range: { fromMs: null, toMs: null },
    sql: (relations) => render(statement, relations),
    deadlineMs: 60_000,
    maxRows: 100,
  });
  const rows: string[][] = JSON.parse(rowsJson);
  return rows.map(([first]) => first!);
}

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
    expect(await whoIsIn(id, "filter")).toEqual(expected);
  });

  test("what cannot be compiled is refused by name", () => {
    expect(whoIsIn(7)).rejects.toThrow("cohort 7: contains itself: 7 → 8 → 7");
    expect(whoIsIn(9)).rejects.toThrow("cohort 9.0.value: there is no cohort 99");
    expect(whoIsIn(10)).rejects.toThrow('a filter of persons of type "behavioral" is not supported yet');
    expect(() => cohortOf("1 or 1", context(), "value")).toThrow('value: there is no cohort "1 or 1"');
  });
});
