import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { happenings, Told } from "../lake/people/told.ts";
import { TestLake } from "../lake/testLake.ts";
import { StoredLake } from "./storedLake.ts";
import { hogql } from "./support.ts";

// HogQL counts the persons of events by their numbers.

afterAll(closeParser);

async function withTold(body: (told: Told, lake: StoredLake) => Promise<void>): Promise<void> {
  const stored = await TestLake.open();
  const lake = StoredLake.over(stored);
  try {
    const told = new Told(stored);
    await told.begin();
    await body(told, lake);
  } finally {
    await lake.close();
  }
}

const EVEN = "toInt(properties.n) % 2 = 0";

/** Every way to count the persons of each event, and of the even ones. */
const BY_EVENT = [
  `select event, uniq(person_id), uniqIf(person_id, ${EVEN}) from events group by event`,
  `select event, count(distinct person.id), count(distinct pdi.person_id) filter (where ${EVEN}) from events group by event`,
  `select e.event as name, uniqExact(e.person_id) as persons, countDistinctIf(e.person.id, ${EVEN}) from events e group by all`,
  `select a.event, uniq(a.person_id), uniq(b.person_id) from events a
   left join (select uuid, person_id from events where ${EVEN}) b on a.uuid = b.uuid group by a.event`,
  `select a.event, uniq(a.person_id), uniqIf(b.person_id, toInt(b.properties.n) % 2 = 0) from events a
   left join events b on b.uuid = a.uuid group by a.event`,
];

async function checkAll(told: Told, lake: StoredLake): Promise<void> {
  const persons = told.persons();
  for (const query of BY_EVENT) {
    const { results } = await hogql(lake, query);
    expect(Object.fromEntries(results.map(([event, ...counts]) => [event, counts]))).toEqual(persons);
  }
  const all = new Set(told.events.map(({ distinctId }) => told.survivors.get(distinctId))).size;
  const { results } = await hogql(
    lake,
    "select uniq(person_id), uniqOrNull(person.id), uniqIf(person_id, false) from events",
  );
  expect(results).toEqual([[all, all === 0 ? null : all, 0]]);
}

test("persons are counted as by plain loops, whatever was merged, deleted, compacted and flushed in between", async () => {
  await fc.assert(
    fc.asyncProperty(happenings, (steps) =>
      withTold(async (told, lake) => {
        for (const step of steps) await told.happen(step);
        await checkAll(told, lake);
      }),
    ),
    { numRuns: 8 },
  );
});

test("by a bit each where one row comes out, by their numbers in groups, by ids where something else is counted", async () => {
  await withTold(async (told, lake) => {
    const sqlOf = async (query: string) => {
      await hogql(lake, query);
      return lake.lastSql;
    };
    expect(await sqlOf("select uniq(person_id) from events")).toMatch(/bitstring_agg\(t0\.person_number/);
    expect(await sqlOf("select event, uniq(person_id) from events group by event")).toContain(
      "count(distinct t0.person_number)",
    );
    for (const counted of ["uniq(person_id, event)", "uniq(toString(person_id))", "uniq(distinct_id)"]) {
      expect(await sqlOf(`select ${counted} from events`)).not.toContain("person_number");
    }
    expect(await sqlOf("select uniq(id) from (select person_id as id from events)")).not.toContain("person_number");
    // Nobody has a number in most rows.
    for (const id of ["d", "e", "f"]) await told.store(Array.from({ length: 400 }, () => ({ id, event: "seen" })));
    expect(await sqlOf("select uniq(person_id) from events")).not.toContain("bitstring_agg");
    await checkAll(told, lake);
  });
});
