import type { TestEvent } from "../support/memoryLake.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { hogql } from "./support.ts";

export const START = Date.parse("2020-01-10T12:14:00Z");
export const NOW = Date.parse("2020-02-20T10:00:00Z");
export const FIRST_UUID = "0190a1b2-0000-7000-8000-000000000001";
const HOUR = 3_600_000;

/** Four events of three people, with properties of every kind. */
export const EVENTS: readonly TestEvent[] = [
  {
    uuid: FIRST_UUID,
    event: "buy",
    distinctId: "a",
    timestampMs: START,
    properties: {
      amount: 10.5,
      n: 3,
      s: "x",
      yes: true,
      $browser: "Chrome",
      o: { k: [1, { z: "deep" }] },
      at: "2020-01-05T10:00:00+02:00",
      "a/b~c": "odd",
    },
  },
  {
    event: "buy",
    distinctId: "b",
    timestampMs: START + HOUR,
    properties: { amount: "20", s: "y", yes: false, n: null },
  },
  { event: "view", distinctId: "a", timestampMs: START + 24 * HOUR, properties: { $browser: "Firefox", s: "" } },
  { event: "view", distinctId: "c", timestampMs: START + 40 * 24 * HOUR, properties: { n: 100, amount: "abc" } },
];

/** A lake of `EVENTS`, and what queries of it answer. */
export async function openScene() {
  const lake = await MemoryLake.open(EVENTS);
  const rows = async (query: string, timezone = "UTC", weekStartDay: 0 | 1 = 0) =>
    (await hogql(lake, query, { timezone, weekStartDay, nowMs: NOW })).results;
  return { lake, rows };
}
