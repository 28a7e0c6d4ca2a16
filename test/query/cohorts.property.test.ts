import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { closeParser, NO_RECORDS, type QueryRecords } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { type Asked, asked, worldOf } from "./cohortArbitraries.ts";
import { isMember, type NaiveCondition } from "./naive/cohorts.ts";
import type { World } from "./naive/world.ts";
import { StoredLake } from "./storedLake.ts";
import { hogql, NO_STEP } from "./support.ts";
import { inFiles, inMemory, layout, type Place } from "./trendsCases.ts";

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

const PRO: NaiveCondition = { type: "person", key: "plan", operator: "exact", value: "pro" };

function conditionsOf({ condition, around }: Asked): Map<number, NaiveCondition> {
  const inside: NaiveCondition = { type: "cohort", key: "id", value: 2, negation: around === "not in" };
  return new Map([
    [1, PRO],
    [2, condition],
    [3, inside],
  ]);
}

function recordsOf(world: World, cohorts: ReadonlyMap<number, NaiveCondition>): QueryRecords {
  const record = (id: number, properties: NaiveCondition) => ({
    id,
    name: `cohort ${id}`,
    isStatic: false,
    properties: { type: "AND", values: [properties] } as unknown as Json,
    personIds: [],
  });
  return {
    ...NO_RECORDS,
    cohort: (id) => (cohorts.has(id) ? record(id, cohorts.get(id)!) : null),
    action: (id) => {
      const [action] = world.actions.filter((one) => one.id === id);
      if (action === undefined) return null;
      const steps = action.steps.map(({ event, filters }) => ({ ...NO_STEP, event, properties: filters as Json }));
      return { id, name: action.name, steps };
    },
  };
}

async function checkCase(given: Asked, place: (world: World) => Promise<Place>): Promise<void> {
  const world = worldOf(given);
  const cohorts = conditionsOf(given);
  const { lake, teamId } = await place(world);
  const { timezone, weekStartDay, nowMs } = world;
  const context = { teamId, timezone, weekStartDay, nowMs, records: recordsOf(world, cohorts) };
  const ask = async (query: string) => (await hogql(lake, query, context)).results.map(([id]) => id);
  for (const id of [2, 3]) {
    const members = world.persons.filter((person) => isMember(person, cohorts.get(id)!, world, cohorts));
    const ids = members.flatMap(({ distinctIds }) => distinctIds).sort();
    const listed = await ask(
      `SELECT distinct_id FROM person_distinct_ids WHERE person_id IN COHORT ${id} AND distinct_id != 'nobody' ORDER BY distinct_id`,
    );
    expect(listed).toEqual(ids);
    const seen = (wanted: (id: string) => boolean) =>
      [...new Set(world.events.map(({ distinctId }) => distinctId).filter(wanted))].sort();
    const isIn = (distinctId: string) => ids.includes(distinctId);
    const events = "SELECT DISTINCT distinct_id FROM events WHERE distinct_id != 'nobody' AND person_id";
    expect(await ask(`${events} IN COHORT ${id} ORDER BY distinct_id`)).toEqual(seen(isIn));
    expect(await ask(`${events} NOT IN COHORT ${id} ORDER BY distinct_id`)).toEqual(seen((one) => !isIn(one)));
  }
}

test("random cohorts over random events agree with plain loops", async () => {
  const property = fc.asyncProperty(asked, (given) => checkCase(given, (world) => inMemory(lake, world)));
  await fc.assert(property, { numRuns: 300 });
}, 120_000);

test("they agree over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  let byDay = 0;
  const property = fc.asyncProperty(asked, layout, async (given, how) => {
    await checkCase(given, (world) => inFiles(stored, ++teamId, world, how));
    if (stored.lastSql.includes(".activity.parquet")) byDay++;
  });
  await fc.assert(property, { numRuns: 30, endOnFailure: true });
  expect(byDay).toBeGreaterThan(0);
  await stored.close();
}, 120_000);
