import { expect, test } from "bun:test";
import { personIdOf } from "../../src/types/mod.ts";
import { accepted, after, Bench, START_MS, TEAM } from "./bench.ts";

const set = (id: string, properties: object) => accepted("$set", id, { $set: properties as never });
const identify = (anon: string, id: string, more: object = {}) =>
  accepted("$identify", id, { $anon_distinct_id: anon, ...more });
const alias = (id: string, other: string) => accepted("$create_alias", id, { alias: other });
const dangerous = (id: string, other: string) => accepted("$merge_dangerously", id, { alias: other });

const survivor = (bench: Bench, id: string) => {
  const rows = bench.log.filter((row) => row.kind === "identity" && row.distinctId === id);
  const newest = rows.at(-1);
  return newest?.kind === "identity" ? newest.survivorId : null;
};

test("identify makes two ids one person; the event's own id survives and is identified", async () => {
  const bench = await after(
    set("anon", { a: 1, b: 2 }),
    set("me", { b: 3, c: 4, d: 5 }),
    identify("anon", "me", { $set: { d: 6, e: 7 }, $set_once: { a: 8, f: 9 } }),
  );
  const person = bench.person("me");
  expect(person.ids).toEqual(["anon", "me"]);
  expect(person.isIdentified).toBe(true);
  expect(person.properties).toEqual({ a: 1, b: 3, c: 4, d: 6, e: 7, f: 9 });
  expect(survivor(bench, "anon")).toBe(personIdOf(TEAM, "me"));
});

test("an identified source is refused by identify; its target is identified all the same", async () => {
  const bench = await after(identify("a", "u1"), identify("u1", "u2"));
  expect(bench.person("u1").ids).toEqual(["a", "u1"]);
  expect(bench.person("u2")).toMatchObject({ ids: ["u2"], isIdentified: true });
  expect(bench.warnings.map(({ type }) => type)).toEqual(["cannot_merge_already_identified"]);
});

test("an identified target does not refuse", async () => {
  const bench = await after(identify("a", "me"), identify("b", "me"));
  expect(bench.person("me").ids).toEqual(["a", "b", "me"]);
  expect(bench.warnings).toEqual([]);
});

test("the alias becomes the main id", async () => {
  const bench = await after(set("old", { a: "old" }), set("new", { a: "new" }), alias("old", "new"));
  expect(bench.person("old")).toMatchObject({ ids: ["new", "old"], properties: { a: "new" }, isIdentified: true });
  expect(survivor(bench, "old")).toBe(personIdOf(TEAM, "new"));
});

test("an alias is refused only when both are identified", async () => {
  const one = await after(identify("a", "me"), alias("me", "b"));
  expect(one.person("b").ids).toEqual(["a", "b", "me"]);
  const both = await after(identify("a", "u1"), identify("b", "u2"), alias("u1", "u2"));
  expect(both.person("u1").ids).toEqual(["a", "u1"]);
  expect(both.warnings.map(({ type }) => type)).toEqual(["cannot_merge_already_identified"]);
});

test("a dangerous merge is never refused; its source is the alias", async () => {
  const bench = await after(identify("a", "u1"), identify("b", "u2"), dangerous("u1", "u2"));
  expect(bench.person("u2").ids).toEqual(["a", "b", "u1", "u2"]);
  expect(survivor(bench, "b")).toBe(personIdOf(TEAM, "u1"));
  expect(bench.warnings).toEqual([]);
});

test("chains carry everything along; cycles change nothing", async () => {
  const chain = await after(dangerous("b", "a"), dangerous("c", "b"), dangerous("d", "c"));
  expect(chain.person("a").ids).toEqual(["a", "b", "c", "d"]);
  for (const id of ["a", "b", "c"]) expect(survivor(chain, id)).toBe(personIdOf(TEAM, "d"));
  const cycle = await after(dangerous("b", "a"), dangerous("a", "b"), identify("a", "b"));
  expect(cycle.person("a").ids).toEqual(["a", "b"]);
  expect(survivor(cycle, "a")).toBe(personIdOf(TEAM, "b"));
  expect(cycle.warnings).toEqual([]);
});

test("ids that name nobody, an id with itself and plain identify merge nothing", async () => {
  const bench = await after(
    identify("undefined", "me"),
    identify("me", "me"),
    accepted("$identify", "me"),
    alias("me", "0"),
  );
  expect(bench.person("me")).toMatchObject({ ids: ["me"], isIdentified: false });
  expect(bench.queues).toEqual([]);
});

test("a copy of a merge changes nothing", async () => {
  const event = identify("a", "me");
  const bench = await after(event, event);
  expect(bench.person("me").ids).toEqual(["a", "me"]);
  expect(bench.warnings).toEqual([]);
});

test("personless events join later by the same id, and by a merge", async () => {
  const bench = await after(accepted("page", "anon", { $process_person_profile: false }), identify("anon", "me"));
  const row = bench.outcomes.flatMap(({ rows }) => rows).find(({ distinctId }) => distinctId === "anon");
  expect(row?.personId).toBe(personIdOf(TEAM, "anon"));
  expect(survivor(bench, "anon")).toBe(personIdOf(TEAM, "me"));
  expect(bench.person("anon").ids).toEqual(["anon", "me"]);
});

test("a person exists since the older of the two that it was made of", async () => {
  const bench = new Bench();
  bench.accept(accepted("page", "anon", {}, START_MS - 7_000));
  bench.accept(accepted("page", "me", {}, START_MS - 3_000));
  bench.accept(identify("anon", "me"));
  await bench.flushAll();
  expect(bench.person("me").createdAtMs).toBe(START_MS - 7_000);
});

test("a person told by hand: its ids are one, its properties hold, its age counts before all", async () => {
  const bench = new Bench();
  bench.accept(set("b", { plan: "old", city: "Rome" }));
  await bench.flushAll();
  bench.importPerson({ distinctIds: ["a", "b"], properties: '{"plan":"new"}', createdAtMs: START_MS - 99_000 });
  await bench.flushAll();
  expect(bench.person("a")).toEqual({
    ids: ["a", "b"],
    isIdentified: false,
    createdAtMs: START_MS - 99_000,
    properties: { plan: "new", city: "Rome" },
  });
});

test("a person told by hand that is identified is not merged with what it was not merged with before", async () => {
  const bench = new Bench();
  const person = { properties: "{}", createdAtMs: null, isIdentified: true };
  bench.importPerson({ ...person, distinctIds: ["me", "anon"] });
  bench.importPerson({ ...person, distinctIds: ["you"] });
  for (const event of [identify("anon", "you"), identify("anon", "me"), identify("new", "you")]) bench.accept(event);
  await bench.flushAll();
  expect(bench.person("me")).toMatchObject({ ids: ["anon", "me"], isIdentified: true });
  expect(bench.person("you")).toMatchObject({ ids: ["new", "you"], isIdentified: true });
});

test("a person told by hand without an age keeps that of its events", async () => {
  const bench = new Bench();
  bench.importPerson({ distinctIds: ["a"], properties: "{}", createdAtMs: null });
  bench.accept(accepted("page", "a", {}, START_MS - 5_000));
  await bench.flushAll();
  expect(bench.person("a").createdAtMs).toBe(START_MS - 5_000);
});

test("between values older than their merge the target's holds, whichever is newer; after it the newest", async () => {
  const bench = await after(set("me", { a: "target" }), set("anon", { a: "source" }), identify("anon", "me"));
  expect(bench.person("me").properties).toEqual({ a: "target" });
  bench.accept(set("anon", { a: "later" }));
  await bench.flushAll();
  expect(bench.person("me").properties).toEqual({ a: "later" });
});
