import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PathsItem } from "../../src/query/kinds/paths/run.ts";
import { runQuery } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import type { TestEvent } from "../support/memoryLake.ts";
import { StoredLake } from "./storedLake.ts";
import { contextOf } from "./support.ts";

const DAY = Date.parse("2024-03-01T10:00:00Z");
const NOW = DAY + 3_600_000;

let lake: StoredLake;
let teamId = 0;
beforeAll(async () => {
  lake = await StoredLake.open();
});
afterAll(() => lake.close());

/** The uuid of the n-th event of an instant. */
const uuidOf = (n: number, at = 0) =>
  `${(n * 0x1111_1111).toString(16).padStart(8, "0")}-0000-4000-8000-${String(at).padStart(12, "0")}`;
const at = (distinctId: string, event: string, seconds: number, n: number): TestEvent => ({
  uuid: uuidOf(n, seconds),
  event,
  distinctId,
  timestampMs: DAY + seconds * 1000,
  properties: { item: event, plan: "free" },
});
/** So many that the persons of a file without numbers are few. */
const crowd = Array.from({ length: 100 }, (_, i) => at(`crowd${i}`, "alone", i, 9));

/** One flush, which also has something of nobody. */
const store = (events: TestEvent[], merged: string[] = []) =>
  lake.store(teamId, {
    events: [...events, at("nobody", "alone", 0, 9)],
    persons: [{ distinctIds: ["nobody"] }, ...(merged.length === 0 ? [] : [{ distinctIds: merged }])],
    groups: [],
  });

async function edges(pathsFilter: JsonObject, more: JsonObject = {}): Promise<string[]> {
  const node = { kind: "PathsQuery", dateRange: { date_from: "2024-03-01" }, pathsFilter, ...more };
  const { results } = await runQuery(node, contextOf(lake, { teamId, nowMs: NOW }));
  return (results as PathsItem[]).map(({ source, target, value }) => `${source} ${target} ${value}`).toSorted();
}

const BY_NAME = { includeEventTypes: ["custom_event"] };
const BY_PLACE = { includeEventTypes: ["hogql"], pathsHogQLExpression: "properties.item" };

describe.each([
  ["name", BY_NAME],
  ["place", BY_PLACE],
] as const)("paths from journeys, of items that are known by %s", (way, filter) => {
  test("have the events of one instant in order of uuid, whichever file they are in", async () => {
    teamId++;
    await store([...crowd, at("ann", "a", 0, 2), at("ann", "d", 0, 8), at("bob", "a", 0, 1), at("bob", "b", 0, 2)]);
    await lake.compact(teamId);
    await store([
      at("ann", "b", 0, 4),
      at("ann", "c", 0, 6),
      at("bob", "c", 1, 1),
      at("new", "a", 0, 1),
      at("new", "b", 0, 2),
    ]);
    const before = lake.walks[way];
    expect(await edges(filter)).toEqual(["1_a 2_b 3", "2_b 3_c 2", "3_c 4_d 1"]);
    await lake.compact(teamId);
    expect(await edges(filter)).toEqual(["1_a 2_b 3", "2_b 3_c 2", "3_c 4_d 1"]);
    expect(lake.walks[way]).toBe(before + 2);
  });

  test("have them in order of persons who became one since", async () => {
    teamId++;
    await store([...crowd, at("ann", "b", 0, 2), at("ann", "d", 0, 4), at("anon", "a", 0, 1), at("anon", "c", 0, 3)]);
    await lake.compact(teamId);
    expect(await edges(filter)).toEqual(["1_a 2_c 1", "1_b 2_d 1"]);
    await store([], ["ann", "anon"]);
    const before = lake.walks.withMoved;
    expect(await edges(filter)).toEqual(["1_a 2_b 1", "2_b 3_c 1", "3_c 4_d 1"]);
    expect(lake.walks.withMoved).toBe(before + 1);
  });

  test("begin or end with a point, and have neither what is excluded nor what a wildcard hides", async () => {
    teamId++;
    await store([...crowd, ...["a", "b", "c", "d", "e"].map((name, i) => at("ann", name, i * 10, 1))]);
    await lake.compact(teamId);
    const before = lake.walks[way];
    expect(await edges({ ...filter, startPoint: "c" })).toEqual(["1_c 2_d 1", "2_d 3_e 1"]);
    expect(await edges({ ...filter, endPoint: "d", stepLimit: 2 })).toEqual(["1_c 2_d 1"]);
    expect(await edges({ ...filter, excludeEvents: ["b", "c"] })).toEqual(["1_a 2_d 1", "2_d 3_e 1"]);
    expect(await edges({ ...filter, pathGroupings: ["b*", "c"] })).toEqual([
      "1_a 2_b* 1",
      "2_b* 3_c 1",
      "3_c 4_d 1",
      "4_d 5_e 1",
    ]);
    expect(lake.walks[way]).toBe(before + 4);
  });
});

test("what a filter leaves is known by place", async () => {
  const before = lake.walks.place;
  const properties = [{ type: "event", key: "plan", operator: "exact", value: "free" }];
  expect((await edges(BY_NAME, { properties })).length).toBe(4);
  expect(lake.walks.place).toBe(before + 1);
});

test("paths between two points, and of groups, are asked in SQL", async () => {
  const before = { ...lake.walks };
  expect(await edges({ ...BY_NAME, startPoint: "b", endPoint: "d" })).toEqual(["1_b 2_c 1", "2_c 3_d 1"]);
  expect(await edges(BY_NAME, { aggregation_group_type_index: 0 })).toEqual([]);
  expect(lake.walks).toEqual(before);
});
