import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { noteDefinitions } from "../../src/metadata/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { StoredLake } from "../query/storedLake.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { HANG_MS, until } from "../support/processes.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let server: ManageServer;
let lake: StoredLake;
beforeAll(async () => {
  server = await startManage();
  server.lake = lake = await StoredLake.open();
  const at = (event: string, daysAgo: number, properties: JsonObject = {}) => ({
    event,
    distinctId: "ann",
    timestampMs: server.nowMs - daysAgo * DAY_MS,
    properties,
  });
  const events = [
    ...[0, 1, 5, 29, 40].map((days) => at("often", days, { plan: "pro", "it's": 1 })),
    at("once", 3, { size: 4 }),
    at("long ago", 60, { old: 1 }),
  ];
  await lake.store(1, { events, persons: [{ distinctIds: ["ann"] }], groups: [] });
  await lake.store(2, { events: [at("often", 1)], persons: [{ distinctIds: ["ann"] }], groups: [] });
  const property = (name: string) => ({ owner: { type: "event" as const }, name, propertyType: null });
  const properties = ["a first", "it's", "old", "plan", "size"].map(property);
  const names = ["long ago", "never", "often", "once"];
  const o = { nowMs: server.nowMs, max: 100 };
  await server.db.write((tx) => noteDefinitions(tx, [{ teamId: 1, events: names, properties }], o));
  // No list waits longer than two seconds for the first count, and the engine may still be starting.
  const isCounted = async () => (await list("event_definitions/")).every((row) => row.volume_30_day !== null);
  await until("events to be counted", HANG_MS, isCounted);
});
afterAll(async () => {
  await lake.close();
  await server.stop();
});
// Counts are an hour old by the time of the next test.
beforeEach(() => {
  server.nowMs += 61 * MINUTE_MS;
});

const base = "/api/projects/1/";
const list = async (path: string) => {
  const { json } = await server.send("GET", base + path);
  return (json as { results: JsonObject[] }).results;
};
const column = async (path: string, ...names: string[]) =>
  (await list(path)).map((row) => names.map((name) => row[name]!));
const save = async (query: JsonObject) =>
  ((await server.send("POST", `${base}insights/`, { body: { name: "i", query } })).json as { id: number }).id;

describe("definitions of events", () => {
  test("say how many events there were in the last thirty days", async () => {
    expect(await column("event_definitions/", "name", "volume_30_day")).toEqual([
      ["long ago", 0],
      ["never", 0],
      ["often", 4],
      ["once", 1],
    ]);
  });

  test("are ordered by that, by name and by when they were seen last", async () => {
    const names = async (ordering: string) => (await column(`event_definitions/?ordering=${ordering}`, "name")).flat();
    expect(await names("-volume_30_day")).toEqual(["often", "once", "long ago", "never"]);
    expect(await names("-name")).toEqual(["once", "often", "never", "long ago"]);
    expect((await names("-last_seen_at")).toSorted()).toEqual(["long ago", "never", "often", "once"]);
    expect(await names("nothing")).toEqual(["long ago", "never", "often", "once"]);
  });

  test("are counted again after minutes, behind the answer", async () => {
    const volume = async () => (await list("event_definitions/?search=once"))[0]!.volume_30_day;
    expect(await volume()).toBe(1);
    const event = { event: "once", distinctId: "bob", timestampMs: server.nowMs };
    await lake.store(1, { events: [event], persons: [{ distinctIds: ["bob"] }], groups: [] });
    expect(await volume()).toBe(1);
    server.nowMs += 6 * MINUTE_MS;
    while ((await volume()) !== 2);
  });

  test("stay as they are where they cannot be counted", async () => {
    await list("event_definitions/");
    server.nowMs += 61 * MINUTE_MS;
    const own = server.lake;
    const failures = () => server.logged.filter((line) => line.includes("cannot be counted: no lake")).length;
    const volume = () => column("event_definitions/?search=often", "volume_30_day");
    server.lake = { ...own, query: () => Promise.reject(new Error("no lake")) } as never;
    expect([await volume(), failures()]).toEqual([[[4]], 1]);
    // Tried again after a minute, then after two.
    for (const [minutes, tries] of [[0.9, 1] as const, [0.2, 2] as const, [1.9, 2] as const, [0.2, 3] as const]) {
      server.nowMs += minutes * MINUTE_MS;
      expect([await volume(), failures()]).toEqual([[[4]], tries]);
    }
    server.lake = own;
    expect([await volume(), failures()]).toEqual([[[4]], 3]);
  });
});

describe("how many insights in use name them", () => {
  test("counts each insight once, until a month after it was looked at", async () => {
    const filter = { key: "plan", value: "pro", operator: "exact", type: "event" };
    const series = ["often", "often"].map((event) => ({ kind: "EventsNode", event, properties: [filter] }));
    const id = await save({ kind: "InsightVizNode", source: { kind: "TrendsQuery", series } });
    const entity = { id: "once", type: "events" };
    const retentionFilter = { targetEntity: entity, returningEntity: entity };
    await save({ kind: "RetentionQuery", retentionFilter });
    const breakdownFilter = { breakdown: "size", breakdown_type: "event" };
    await save({ kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "once" }], breakdownFilter });
    const uses = () => column("event_definitions/?ordering=-query_usage_30_day", "name", "query_usage_30_day");
    expect((await uses()).slice(0, 2)).toEqual([
      ["once", 2],
      ["often", 1],
    ]);
    const used = await column("property_definitions/?ordering=-query_usage_30_day", "name", "query_usage_30_day");
    expect(used.slice(0, 3)).toEqual([
      ["plan", 1],
      ["size", 1],
      ["a first", 0],
    ]);
    server.nowMs += 29 * DAY_MS;
    await server.send("POST", `${base}insights/${id}/viewed/`);
    server.nowMs += 10 * DAY_MS;
    expect((await uses()).slice(0, 2)).toEqual([
      ["often", 1],
      ["long ago", 0],
    ]);
    server.nowMs -= 39 * DAY_MS;
  });
});

describe("the properties of some events", () => {
  const path = (names: string[], more = "") =>
    `property_definitions/?event_names=${encodeURIComponent(JSON.stringify(names))}${more}`;

  test("come first, and are said to be so", async () => {
    expect(await column(path(["often"]), "name", "is_seen_on_filtered_events")).toEqual([
      ["it's", true],
      ["plan", true],
      ["a first", false],
      ["old", false],
      ["size", false],
    ]);
    const both = await column(path(["once", "often"], "&limit=3"), "name");
    expect(both).toEqual([["it's"], ["plan"], ["size"]]);
    expect(await list("property_definitions/?search=plan")).toMatchObject([{ is_seen_on_filtered_events: null }]);
  });

  test("alone, where that is asked for", async () => {
    const alone = "&filter_by_event_names=true";
    expect(await column(path(["often"], alone), "name")).toEqual([["it's"], ["plan"]]);
    expect(await column(path(["often"], `${alone}&properties=plan,size`), "name")).toEqual([["plan"]]);
    expect(await column(path(["never", "') or true --"], alone), "name")).toEqual([]);
  });
});
