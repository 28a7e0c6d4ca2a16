import { expect } from "bun:test";
import type { QueryRecords } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { type Asked, worldOf } from "./cohortArbitraries.ts";
import { isMember, type NaiveCondition } from "./naive/cohorts.ts";
import type { World } from "./naive/world.ts";
import { hogql, NO_STEP } from "./support.ts";
import type { Place } from "./trendsCases.ts";

// Asks the engine and plain loops who is in a cohort, and compares.

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

/** Asks both and compares: who is in a cohort, in one around it, and whose events count. */
export async function checkCase(given: Asked, place: (world: World) => Promise<Place>): Promise<void> {
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
      `SELECT distinct_id FROM person_distinct_ids WHERE person_id IN COHORT ${id} AND distinct_id NOT IN ('nobody', 'nobody else') ORDER BY distinct_id`,
    );
    expect(listed).toEqual(ids);
    const seen = (wanted: (id: string) => boolean) =>
      [...new Set(world.events.map(({ distinctId }) => distinctId).filter(wanted))].sort();
    const isIn = (distinctId: string) => ids.includes(distinctId);
    const events =
      "SELECT DISTINCT distinct_id FROM events WHERE distinct_id NOT IN ('nobody', 'nobody else') AND person_id";
    expect(await ask(`${events} IN COHORT ${id} ORDER BY distinct_id`)).toEqual(seen(isIn));
    expect(await ask(`${events} NOT IN COHORT ${id} ORDER BY distinct_id`)).toEqual(seen((one) => !isIn(one)));
  }
}
