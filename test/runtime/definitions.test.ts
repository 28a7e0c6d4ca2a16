import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  bootstrap,
  findEnvironment,
  listEventDefinitions,
  listPropertyDefinitions,
  readDataVersion,
  updateEnvironment,
} from "../../src/metadata/mod.ts";
import { DefinitionScan } from "../../src/runtime/definitionScan.ts";
import type { AcceptedEvent, JsonObject } from "../../src/types/mod.ts";
import { event, Rig } from "./rig.ts";

const PAGE = { limit: 1000, offset: 0, column: "name", descending: false };

let rig: Rig;
const open = async (env: Record<string, string> = {}) => {
  rig = await Rig.open(env);
  await bootstrap(rig.db, { projectApiKey: null, personalApiKey: null }, 0);
};

const about = (name: string, properties: JsonObject, distinctId?: string): AcceptedEvent => ({
  ...event(name, distinctId),
  properties: JSON.stringify(properties),
});
const typesOf = async (owner: "event" | "person" | "group") => {
  const { items: definitions } = await rig.db.read((tx) => listPropertyDefinitions(tx, { teamId: 1, owner }, PAGE));
  return Object.fromEntries(definitions.map((definition) => [definition.name, definition.propertyType]));
};
const eventNames = async () => {
  const { items: definitions } = await rig.db.read((tx) => listEventDefinitions(tx, { teamId: 1 }, PAGE));
  return definitions.map(({ name }) => name);
};
let sent = 0;
const store = async (...events: AcceptedEvent[]) => {
  await rig.publish(events);
  sent += events.length;
  await rig.settled(sent);
};
describe("definitions of what arrives", () => {
  beforeEach(() => {
    sent = 0;
  });
  afterEach(() => rig.close());

  test("are there with the events: the first type stays, no value says nothing, a restart loses nothing", async () => {
    await open();
    const worker = await rig.startWorker();
    await store(
      about("buy", { amount: 5, plan: "pro", at_time: null, list: [1], $set: { vip: true }, $group_0: "x" }),
      about("view", { amount: "five", $set_once: { first: "2024-01-01" } }),
      about("$groupidentify", { $group_type: "company", $group_key: "acme", $group_set: { size: 10 } }),
    );
    expect(await eventNames()).toEqual(["$groupidentify", "buy", "view"]);
    expect(await typesOf("event")).toEqual({ amount: "Numeric", plan: "String", at_time: null, list: null });
    expect(await typesOf("person")).toEqual({ vip: "Boolean", first: "DateTime" });
    expect(await typesOf("group")).toEqual({ size: "Numeric" });
    await rig.stopWorker(worker);
    await rig.startWorker();
    const before = await rig.db.read((tx) => readDataVersion(tx, 1));
    await store(about("buy", { amount: true, plan: "free" }));
    const { items: definitions } = await rig.db.read((tx) =>
      listPropertyDefinitions(tx, { teamId: 1, owner: "event" }, PAGE),
    );
    expect(definitions).toHaveLength(4);
    // The commit of the event alone.
    expect((await rig.db.read((tx) => readDataVersion(tx, 1))) - before).toBeLessThanOrEqual(2);
    await store(about("buy", { at_time: "2024-01-01T00:00:00Z", list: {} }));
    expect(await typesOf("event")).toEqual({ amount: "Numeric", plan: "String", at_time: "DateTime", list: null });
  });

  test("have no types where the environment does not want that", async () => {
    await open();
    await rig.db.write(async (tx) => {
      const environment = (await findEnvironment(tx, 1))!;
      await updateEnvironment(tx, { ...environment, settings: { extra_settings: { detect_property_types: false } } });
    });
    await rig.startWorker();
    await store(about("buy", { amount: 5 }));
    expect(await typesOf("event")).toEqual({ amount: null });
  });

  test("are no more than the setting allows, and no name is longer than 200 bytes", async () => {
    await open({ WEIR_DEFINITIONS_MAX: "3" });
    await rig.startWorker();
    await store(about("a", { ["ü".repeat(101)]: 1, ["x".repeat(200)]: 1, b: 2 }), about("é".repeat(150), {}));
    expect(Object.keys(await typesOf("event"))).toEqual(["b", "x".repeat(200)]);
    await store(about("b", { c: 3, d: 4, e: 5 }), about("c", {}), about("d", {}), about("e", {}));
    expect(Object.keys(await typesOf("event"))).toEqual(["b", "c", "x".repeat(200)]);
    expect(await eventNames()).toHaveLength(3);
  });
});

describe("the scan", () => {
  const rows = (count: number, properties: (i: number) => JsonObject) =>
    Array.from({ length: count }, (_, i) => ({ ...about("e", properties(i)), source: null })) as never;

  test("looks at few of many, and at others the next time", () => {
    const scan = new DefinitionScan(1e9);
    const many = rows(2_000, (i) => ({ [`k${i}`]: 1 }));
    const told = new Set<string>();
    for (let turn = 0; turn < 10; turn++) {
      const seen = scan.find({ rows: many, log: [] }, 0);
      expect(seen[0]!.properties).toHaveLength(200);
      for (const { name } of seen[0]!.properties) told.add(name);
      scan.adopt(seen);
    }
    expect(told.size).toBe(2_000);
    expect(scan.find({ rows: many, log: [] }, 0)).toEqual([]);
    // An hour later it tells again.
    expect(scan.find({ rows: many, log: [] }, 3_600_000)).toHaveLength(1);
  });

  test("looks at the name of every event", () => {
    const scan = new DefinitionScan(1e9);
    const names = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...about(`event ${from + i}`, { k: 1 }), source: null })) as never;
    const many = scan.find({ rows: names(0, 6_000), log: [] }, 0);
    expect(many[0]!.events).toHaveLength(5_000);
    scan.adopt(many);
    const rest = scan.find({ rows: names(0, 6_000), log: [] }, 0);
    expect(new Set([...many[0]!.events, ...rest[0]!.events]).size).toBe(6_000);
  });

  test("tells no more than fits into a commit, and forgets when it remembers too much", () => {
    const scan = new DefinitionScan(1_500);
    const wide = rows(1, () => Object.fromEntries(Array.from({ length: 2_500 }, (_, i) => [`k${i}`, 1])));
    const counts = [1, 2, 3].map(() => {
      const seen = scan.find({ rows: wide, log: [] }, 0);
      scan.adopt(seen);
      return seen[0]!.properties.length;
    });
    expect(counts).toEqual([1_000, 1_000, 1_000]);
  });

  test("what was not committed is told again", () => {
    const scan = new DefinitionScan(1e9);
    const one = rows(1, () => ({ a: 1 }));
    const first = scan.find({ rows: one, log: [] }, 0);
    expect(scan.find({ rows: one, log: [] }, 0)).toEqual(first);
  });
});
