import type { TestEvent } from "../../support/memoryLake.ts";
import { propertiesOf, textOf } from "./world.ts";

// HogQL of the tests, each with what it means.

export const HOGQL_MATHS: ReadonlyMap<string, (events: TestEvent[]) => number> = new Map([
  ["count() + 1", (events: TestEvent[]) => events.length + 1],
  ["uniq(distinct_id) * 2", (events: TestEvent[]) => new Set(events.map((event) => event.distinctId)).size * 2],
  [
    "countIf(event = 'buy') / count()",
    (events: TestEvent[]) => events.filter((event) => event.event === "buy").length / events.length,
  ],
]);

export const HOGQL_VALUES: ReadonlyMap<string, (event: TestEvent) => string> = new Map([
  ["concat(event, ' of ', distinct_id)", (event: TestEvent) => `${event.event} of ${event.distinctId}`],
  [
    "if(properties.m = 1, 'one', 'else')",
    (event: TestEvent) => (textOf(propertiesOf(event).m) === "1" ? "one" : "else"),
  ],
]);

export const HOGQL_CONDITIONS: ReadonlyMap<string, (event: TestEvent) => boolean> = new Map([
  ["event in ('view', 'other')", (event: TestEvent) => ["view", "other"].includes(event.event)],
  [
    "properties.m is null or distinct_id = 'p1'",
    (event: TestEvent) => textOf(propertiesOf(event).m) === null || event.distinctId === "p1",
  ],
]);
