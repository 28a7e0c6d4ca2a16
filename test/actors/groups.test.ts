import { expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { accepted, after, Bench, START_MS } from "./bench.ts";

const describe = (type: unknown, key: unknown, set: JsonObject = {}, atMs = START_MS) =>
  accepted("$groupidentify", "ann", { $group_type: type as never, $group_key: key as never, $group_set: set }, atMs);
const inGroups = (groups: JsonObject, more: JsonObject = {}) => accepted("page", "ann", { $groups: groups, ...more });
const stored = (bench: Bench) => bench.outcomes.flatMap(({ rows }) => rows).map((row) => JSON.parse(row.properties));

test("groupidentify makes a group; later values win, others stay", async () => {
  const bench = await after(describe("company", "acme", { a: 1, b: 2 }), describe("company", "acme", { b: 3 }));
  const group = bench.fold().groups["company/acme"];
  expect(group?.properties).toEqual({ a: "1", b: "3" });
});

test("values of groups come back as they were written", async () => {
  const event = describe("company", "acme");
  const text =
    '{"$group_type":"company","$group_key":"acme","$group_set":{"since":"2024-01-02T03:04:05.678Z","n":1.10}}';
  const bench = await after({ ...event, properties: text });
  expect(bench.fold().groups["company/acme"]?.properties).toEqual({ since: '"2024-01-02T03:04:05.678Z"', n: "1.10" });
});

test("groups are found however their names are written", async () => {
  for (const name of ["$groups", "\\u0024groups", "$gr\\u006Fups", "$group\\u0073"]) {
    const bench = await after({ ...inGroups({}), properties: `{"é":"\\u00e9","${name}":{"comp\\u0061ny":"acme"}}` });
    expect(stored(bench)).toMatchObject([{ $groups: { company: "acme" }, $group_0: "acme" }]);
  }
});

test("a group exists since it was first described, not later than that was accepted", async () => {
  const bench = await after(
    describe("company", "acme", {}, START_MS - 4_000),
    describe("company", "acme", {}, START_MS - 9_000),
  );
  expect(bench.fold().groups["company/acme"]?.createdAtMs).toBe(START_MS - 4_000);
  const future = await after(describe("company", "acme", {}, START_MS + 9_000_000));
  expect(future.fold().groups["company/acme"]?.createdAtMs).toBe(START_MS + 1);
});

test("groups of an event become its $group_ properties; what the client wrote stays", async () => {
  const bench = await after(
    inGroups({ company: "acme", project: 7 }),
    inGroups({ company: "bolt", project: "x" }, { $group_1: "mine" }),
    inGroups({}),
    inGroups({ company: "" }),
  );
  expect(stored(bench)).toEqual([
    { $groups: { company: "acme", project: 7 }, $group_0: "acme", $group_1: "7" },
    { $groups: { company: "bolt", project: "x" }, $group_1: "mine", $group_0: "bolt" },
    { $groups: {} },
    { $groups: { company: "" } },
  ]);
  expect(bench.fold().groups).toEqual({});
});

test("a sixth type gets no index and makes no group; the event is stored", async () => {
  const bench = await after(
    ...["a", "b", "c", "d", "e", "f"].map((type) => describe(type, "k", { x: 1 })),
    inGroups({ e: "k", f: "k" }),
  );
  expect(Object.keys(bench.fold().groups).sort()).toEqual(["a/k", "b/k", "c/k", "d/k", "e/k"]);
  expect(stored(bench)).toHaveLength(7);
  expect(stored(bench).at(-1)).toEqual({ $groups: { e: "k", f: "k" }, $group_4: "k" });
  expect(bench.warnings.map(({ type, details }) => [type, details])).toEqual([
    ["too_many_group_types", { event: "$groupidentify", $group_type: "f" }],
    ["too_many_group_types", { event: "page", $group_type: "f" }],
  ]);
});

test("types that one flush meets first get indexes in the order of acceptance, and a sixth displaces none", async () => {
  const bench = new Bench();
  const types = ["a", "b", "c", "d", "e", "f"];
  for (const [i, type] of types.entries()) bench.accept(describe(type, "k"), { partition: 5 - i, afterMs: i % 2 });
  await bench.flush(bench.queues, 10);
  bench.accept(inGroups(Object.fromEntries(types.map((type) => [type, type]))));
  await bench.flushAll();
  expect(stored(bench).at(-1)).toMatchObject({
    $group_0: "a",
    $group_1: "b",
    $group_2: "c",
    $group_3: "d",
    $group_4: "e",
  });
});

test("a key that is too long: dropped, with a warning", async () => {
  const bench = await after(describe("company", "k".repeat(401)), describe("company", "k".repeat(400)));
  expect(stored(bench)).toHaveLength(1);
  expect(bench.warnings.map(({ type }) => type)).toEqual(["group_key_too_long"]);
  expect(bench.outcomes.flatMap(({ dropped }) => dropped)).toHaveLength(1);
});

test("without type or key there is no group, and the event is stored", async () => {
  const bench = await after(describe("", "k"), describe("company", null), describe("company", 0));
  expect(bench.fold().groups).toEqual({});
  expect(stored(bench)).toHaveLength(3);
});

test("personless events have no groups", async () => {
  const bench = await after(inGroups({ company: "acme" }, { $process_person_profile: false }));
  expect(stored(bench)).toEqual([{ $groups: { company: "acme" }, $process_person_profile: false }]);
});
