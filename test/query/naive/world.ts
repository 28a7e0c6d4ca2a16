import type { TestEvent, TestGroup, TestPerson } from "../../support/memoryLake.ts";

export type NaiveFilter =
  | { type: "AND" | "OR"; values: NaiveFilter[] }
  | {
      type?: "event" | "person" | "group" | "cohort" | "event_metadata" | "session" | "hogql";
      group_type_index?: number;
      key: string;
      operator?: string;
      value?: unknown;
    };

/** What is stored, what is known of it, and the environment. */
export interface World {
  events: TestEvent[];
  persons: TestPerson[];
  groups: TestGroup[];
  cohorts: { id: number; name: string; filters: NaiveFilter[] }[];
  actions: { id: number; name: string; steps: { event: string | null; filters: NaiveFilter[] }[] }[];
  /** Of event properties. */
  types: Record<string, "Boolean" | "Numeric">;
  testAccountFilters: NaiveFilter[];
  timezone: string;
  weekStartDay: 0 | 1;
  nowMs: number;
  byDistinctId: boolean;
}

export function personOf(event: TestEvent, world: World): TestPerson | undefined {
  return world.persons.find((person) => person.distinctIds.includes(event.distinctId));
}

export function propertiesOf(event: TestEvent): Record<string, unknown> {
  return event.properties as Record<string, unknown>;
}

/** Who did it, by the first of a person's ids. */
export function personKey(event: TestEvent, world: World): string {
  return personOf(event, world)?.distinctIds[0] ?? event.distinctId;
}

/** A property as text; null where it is missing or null. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The number in a text, if any. */
export function numberIn(text: string | null): number | null {
  if (text === null || text.trim() === "") return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

export interface Named {
  type?: string | undefined;
  key: string;
  group_type_index?: number | undefined;
}

/** The text of the property that a filter or a breakdown names. */
export function subjectText(event: TestEvent, named: Named, world: World): string | null {
  const own = propertiesOf(event);
  switch (named.type ?? "event") {
    case "event":
      return textOf(own[named.key]);
    case "person":
      return textOf(personOf(event, world)?.properties?.[named.key]);
    case "group": {
      const index = named.group_type_index;
      const isOfEvent = (group: TestGroup) => group.index === index && group.key === own[`$group_${index}`];
      return textOf(world.groups.find(isOfEvent)?.properties?.[named.key]);
    }
    case "event_metadata":
      if (named.key === "event") return event.event;
      return named.key === "distinct_id" ? event.distinctId : textOf(own[named.key]);
    case "session": {
      const seconds = sessionSeconds(event, world);
      return seconds === null ? null : String(seconds);
    }
    default:
      throw new Error(named.type);
  }
}

/** From the first to the last event of the session, whatever those are. */
export function sessionSeconds(event: TestEvent, world: World): number | null {
  const id = propertiesOf(event).$session_id;
  if (typeof id !== "string" || id === "") return null;
  const times = world.events.filter((one) => propertiesOf(one).$session_id === id).map((one) => one.timestampMs);
  // Seconds that the clock has shown in between.
  return Math.floor(Math.max(...times) / 1000) - Math.floor(Math.min(...times) / 1000);
}
