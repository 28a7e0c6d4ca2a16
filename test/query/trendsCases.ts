import { expect } from "bun:test";
import fc from "fast-check";
import type { Lake } from "../../src/lake/mod.ts";
import type { QueryRecords, TrendsItem } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import type { MemoryLake, TestEvent } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { localText } from "./naive/clock.ts";
import { evaluate, type NaiveItem, type NaiveQuery } from "./naive/trends.ts";
import type { World } from "./naive/world.ts";
import type { StoredLake } from "./storedLake.ts";
import { NO_STEP, trends } from "./support.ts";
import { type Asked, DAY_MS, HOUR_MS } from "./trendsArbitraries.ts";

// Asks the engine and plain loops the same, and compares.

export const COHORTS: World["cohorts"] = [
  { id: 1, name: "first", filters: [{ type: "person", key: "k", operator: "exact", value: ["a", "1"] }] },
  { id: 2, name: "second", filters: [{ type: "person", key: "n", operator: "is_set" }] },
];
export const ACTIONS: World["actions"] = [
  {
    id: 7,
    name: "bought or seen",
    steps: [
      { event: "buy", filters: [] },
      { event: "view", filters: [{ key: "k", operator: "is_set" }] },
    ],
  },
];

/** No session is longer than a day. */
function sessionOf(session: string | null, offsetMs: number): { $session_id?: string } {
  return session === null ? {} : { $session_id: `${session} ${Math.floor(offsetMs / (20 * HOUR_MS))}` };
}

/** What a world is made of. */
export type Stage = Pick<
  Asked,
  | "events"
  | "persons"
  | "groups"
  | "types"
  | "testAccountFilters"
  | "timezone"
  | "weekStartDay"
  | "byDistinctId"
  | "startDay"
  | "length"
>;

export function worldOf(given: Stage): World {
  const base = Date.parse(`${given.startDay}T00:00:00Z`);
  const events = given.events.map(
    ({ offsetMs, properties, groups, session, ...rest }): TestEvent => ({
      ...rest,
      properties: { ...properties, ...groups, ...sessionOf(session, offsetMs) },
      timestampMs: base + offsetMs,
    }),
  );
  return {
    ...given,
    events,
    cohorts: COHORTS,
    actions: ACTIONS,
    // Far from midnight, so that "today" is plain in every zone.
    nowMs: base + given.length * DAY_MS + 12 * HOUR_MS + 345,
  };
}

export function rangeOf(
  given: Pick<Asked, "length" | "startDay" | "form" | "interval" | "timezone">,
  world: World,
): NaiveQuery["dateRange"] {
  const { length, startDay, form, interval } = given;
  const today = localText(world.nowMs, given.timezone).slice(0, 10);
  if (interval === "minute") return { date_from: `${startDay}T10:58:00Z`, date_to: `${startDay}T11:20:30Z` };
  switch (form) {
    case "days":
      return { date_from: `-${length}d` };
    case "weeks":
      return { date_from: "-7d", date_to: null };
    case "months":
      return interval === "hour" ? { date_from: "dStart" } : { date_from: "-1mStart", date_to: "-1mEnd" };
    case "hours":
      return { date_from: `-${length + 1}h` };
    case "default":
      return {};
    case "exclude":
      return interval === "hour" ? {} : { date_from: `-${length * 3}d`, excludeIncompletePeriods: true };
    case "instants":
      return { date_from: `${startDay}T05:30:00Z`, date_to: `${startDay}T22:15:00Z` };
    default:
      return { date_from: startDay, date_to: interval === "hour" ? `${today} 23:59:59` : today };
  }
}

export function recordsOf(world: World): QueryRecords {
  return {
    ...NO_RECORDS,
    propertyType: (owner, key) => (owner.type === "event" ? (world.types[key] ?? null) : null),
    cohort: (id) => {
      const found = world.cohorts.find((cohort) => cohort.id === id);
      return found === undefined
        ? null
        : {
            id,
            name: found.name,
            isStatic: false,
            properties: { type: "AND", values: found.filters } as Json,
            personIds: [],
          };
    },
    action: (id) => {
      const found = world.actions.find((action) => action.id === id);
      return found === undefined
        ? null
        : {
            id,
            name: found.name,
            steps: found.steps.map(({ event, filters }) => ({ ...NO_STEP, event, properties: filters as Json })),
          };
    },
  };
}

/** Where a world is stored. */
export interface Place {
  lake: Lake;
  teamId: number;
}

export async function inMemory(lake: MemoryLake, world: World): Promise<Place> {
  await lake.empty();
  await lake.add(world.events);
  await lake.addPersons(world.persons);
  await lake.addGroups(world.groups);
  return { lake, teamId: 1 };
}

/** How a world lies in files. */
export const layout = fc.record({
  /** The share of the events that are flushed last. */
  newest: fc.constantFrom(0.5, 0.1),
  /** The flushes that compaction has taken. */
  compacted: fc.constantFrom("none", "older", "all"),
  /** Whether persons are merged before the last flush, or in it. */
  areMergedFirst: fc.boolean(),
});
export type Layout = typeof layout extends fc.Arbitrary<infer T> ? T : never;

/** The same, but that two distinct ids are surely one person's. */
export function withMerged<T extends Pick<Asked, "persons">>(given: T): T {
  const others = given.persons.filter(({ distinctIds }) => !distinctIds.some((id) => id === "p1" || id === "p2"));
  return { ...given, persons: [{ distinctIds: ["p1", "p2"], properties: {} }, ...others] };
}

/** In two flushes, the older events in one, the newer in another, so that a file may be left out. A flush has some of all. */
export async function inFiles(
  lake: StoredLake,
  teamId: number,
  world: World,
  { newest, compacted, areMergedFirst }: Layout,
): Promise<Place> {
  const elsewhere = { event: "elsewhere", distinctId: "nobody", timestampMs: 0, properties: {} };
  const nobody = { distinctIds: ["nobody"] };
  // Persons have been merged since the older file was compacted.
  const merged = { distinctIds: ["nobody", "nobody else"] };
  const { persons, groups } = world;
  const events = world.events.toSorted((a, b) => a.timestampMs - b.timestampMs);
  const middle = Math.floor(events.length * (1 - newest));
  const [older, newer] = [events.slice(0, middle), events.slice(middle)].map((part) => [elsewhere, ...part]);
  // So the newer file has so few of the rows that persons are told apart by numbers, though it has none. On one day they would get a file of their own.
  older!.push(...Array.from({ length: 100 }, (_, day) => ({ ...elsewhere, timestampMs: day * DAY_MS })));
  await lake.setTimezone(teamId, world.timezone);
  await lake.store(teamId, { events: older!, persons: [nobody, ...(areMergedFirst ? persons : [])], groups });
  if (compacted !== "none") await lake.compact(teamId);
  await lake.store(teamId, { events: newer!, persons: [merged, ...(areMergedFirst ? [] : persons)], groups: [] });
  if (compacted === "all") await lake.compact(teamId);
  return { lake, teamId };
}

/** Asks both and compares. `skip` is called for what has no right answer. */
export async function checkCase(
  given: Asked,
  place: (world: World) => Promise<Place>,
  skip: () => void,
): Promise<void> {
  const world = worldOf(given);
  const query: NaiveQuery = {
    series: given.series,
    interval: given.interval,
    dateRange: rangeOf(given, world),
    properties: given.properties,
    filterTestAccounts: given.filterTestAccounts,
    aggregation_group_type_index: given.groupIndex,
    compareFilter: given.compare,
    breakdownFilter: given.breakdown,
    trendsFilter: {
      display: given.display,
      smoothingIntervals: given.smoothing,
      ...(given.formulas !== null && given.series.length > 1 && { formulas: given.formulas }),
    },
  };
  // Near the day that Apia never had, ends of ranges and windows of days have no right answer.
  if (given.timezone === "Pacific/Apia" && given.startDay === "2011-12-29") skip();
  const { lake, teamId } = await place(world);
  const formulas = query.trendsFilter.formulas?.map(({ text }) => text);
  const node = JSON.parse(JSON.stringify({ ...query, trendsFilter: { ...query.trendsFilter, formulas } }));
  const { timezone, weekStartDay, nowMs } = world;
  const response = await trends(lake, node, {
    teamId,
    timezone,
    weekStartDay,
    nowMs,
    records: recordsOf(world),
    aggregateByDistinctId: world.byDistinctId,
    testAccountFilters: world.testAccountFilters as Json,
  });
  const expected = evaluate(query, world);
  compareItems(response.results, expected.items, query);
  expect(response.hasMore).toBe(expected.hasMore);
}

const keyOf = (item: { order: number; period: string; value: unknown }): string =>
  JSON.stringify([item.period, item.order, item.value]);

function compareItems(items: readonly TrendsItem[], expected: readonly NaiveItem[], query: NaiveQuery): void {
  const found = items.map((item) => ({
    order: item.order,
    period: item.compare_label ?? "current",
    value: item.breakdown_value ?? null,
    data: item.aggregated_value === undefined ? item.data! : [item.aggregated_value],
    days: item.days,
    label: item.label,
  }));
  const told = expected.map((item) => ({ ...item, label: labelOf(item, query) }));
  const byKey = (a: { order: number; period: string; value: unknown }, b: typeof a) => (keyOf(a) < keyOf(b) ? -1 : 1);
  expect(rounded(found.toSorted(byKey))).toEqual(rounded(told.toSorted(byKey)));
}

function labelOf({ label, value }: NaiveItem, query: NaiveQuery): string {
  if (query.trendsFilter.formulas !== undefined || value === null) return label;
  const told = Array.isArray(value) ? value.join("::") : value === "all" ? "all users" : COHORTS[value - 1]!.name;
  return query.series.length > 1 ? `${label} - ${told}` : told;
}

/** Sums of fractions depend on their order in the last digits. */
function rounded<T extends { data: number[] }>(items: T[]): T[] {
  return items.map((item) => ({ ...item, data: item.data.map((number) => Number(number.toPrecision(9)) + 0) }));
}
