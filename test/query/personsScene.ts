import { type Json, personIdOf } from "../../src/types/mod.ts";
import { StoredLake, type TestProject } from "./storedLake.ts";
import { hogql, trends } from "./support.ts";

const START = Date.parse("2020-01-10T12:00:00Z");
const MINUTE = 60_000;
export const NOW = Date.parse("2020-01-12T10:00:00Z");
export const ANN = personIdOf(1, "ann");
export const BOB = personIdOf(1, "bob");
export const HOSTILE = `x' or "1"=1; drop table events; -- /*~*`;

const PROJECT: TestProject = {
  events: [
    { event: "view", distinctId: "anon", timestampMs: START, properties: { $group_0: "acme" } },
    { event: "buy", distinctId: "ann", timestampMs: START + MINUTE, properties: { amount: 5, $group_0: "acme" } },
    { event: "buy", distinctId: "bob", timestampMs: START + 2 * MINUTE, properties: { $group_0: "none", $group_1: 7 } },
    { event: "view", distinctId: "ghost", timestampMs: START + 3 * MINUTE - 1000, personMode: 1 },
    { event: "view", distinctId: "bob", timestampMs: START + 3 * MINUTE, personMode: 1 },
    { event: "view", distinctId: "bob", timestampMs: START + 3 * MINUTE + 1, personMode: 1 },
  ],
  persons: [
    {
      distinctIds: ["ann", "anon"],
      properties: {
        email: "ann@a.com",
        age: 41,
        ratio: 1.5,
        vip: true,
        nothing: null,
        "": "empty",
        "a/b~c.d": "odd",
        "*": "star",
        [HOSTILE]: "safe",
        address: { city: "Bonn", tags: ["x", "y"] },
      },
      createdAtMs: START,
      isIdentified: true,
    },
    { distinctIds: ["bob"], properties: { age: "9", email: "bob@b.com" }, createdAtMs: START + 2 * MINUTE },
    { distinctIds: ["silent"], createdAtMs: START - MINUTE },
  ],
  groups: [
    { index: 0, key: "acme", properties: { founded: "2020-01-01T00:00:00Z", industry: "steel", size: 10 } },
    { index: 1, key: "7", properties: { industry: "glass" }, createdAtMs: START },
    { index: 1, key: "acme", properties: { industry: "wood" } },
  ],
};
/** Another project, where the same ids are other persons. */
const OTHER: TestProject = {
  events: [
    { event: "buy", distinctId: "ann", timestampMs: START, properties: { $group_0: "acme" } },
    { event: "buy", distinctId: "anon", timestampMs: START },
  ],
  persons: [
    { distinctIds: ["ann"], properties: { email: "ann@other.com" }, isIdentified: true },
    { distinctIds: ["anon"], properties: { email: "anon@other.com" } },
  ],
  groups: [{ index: 0, key: "acme", properties: { industry: "milk" } }],
};

/** A lake of both projects, and what queries of the first one answer. */
export async function openPersonsScene() {
  const lake = await StoredLake.open();
  await lake.store(1, PROJECT);
  await lake.store(2, OTHER);
  const rows = async (query: string, timezone = "UTC") => (await hogql(lake, query, { timezone, nowMs: NOW })).results;
  /** The total of a trend. */
  const total = async (more: { [key: string]: Json }, options = {}): Promise<number> => {
    const { results } = await trends(
      lake,
      { series: [{ kind: "EventsNode" }], trendsFilter: { display: "BoldNumber" }, ...more },
      { nowMs: NOW, ...options },
    );
    return results[0]!.aggregated_value!;
  };
  return { lake, rows, total };
}
