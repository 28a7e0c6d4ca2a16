import { expect, test } from "bun:test";
import { accepted, after, Bench, START_MS } from "./bench.ts";

const say = (properties: Parameters<typeof accepted>[2], name = "bought") => accepted(name, "ann", properties);

test("set writes, set_once writes where there is nothing, unset removes", async () => {
  const bench = await after(
    say({ $set: { b: 3, c: 4 } }),
    say({ $set: { b: 4 }, $set_once: { c: 3, e: 4 } }),
    say({ $set_once: { f: null } }),
    say({ $set_once: { f: 1 } }),
    say({ $unset: ["b"] }),
    say({ $unset: { c: "whatever" } }),
  );
  expect(bench.person("ann").properties).toEqual({ e: 4, f: null });
});

test("of one event set wins over set_once", async () => {
  const bench = await after(say({ $set: { a: 1 }, $set_once: { a: 2 } }));
  expect(bench.person("ann").properties).toEqual({ a: 1 });
});

test("nested values are replaced whole, values keep their text", async () => {
  const bench = new Bench();
  bench.accept(say({ $set: { a: { x: 1, y: 2 } } }));
  bench.accept({ ...say({}), properties: '{"$set":{"a":{"y":3},"n":12345678901234567890,"d":1.10}}' });
  await bench.flushAll();
  expect(bench.fold().persons[0]!.properties).toEqual({ a: '{"y":3}', n: "12345678901234567890", d: "1.10" });
});

test("names count however they are written", async () => {
  const escaped = (name: string) =>
    Array.from(name, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  const bench = new Bench();
  for (const properties of [
    `{"a":1,"${escaped("$set")}":{"${escaped("a")}":1,"b":1},"$br${escaped("o")}wser":"Safari"}`,
    `{"$set":{"a":3},"$s\\u0065t":{"a":2},"${escaped("$unset")}":["b"],"\\u0024set_once":{"c":"é"}}`,
    `{"${escaped("x".repeat(100))}":1,"${"\\\\".repeat(200)}":1,"\\"":1}`,
  ])
    bench.accept({ ...say({}), properties });
  await bench.flushAll();
  expect(bench.person("ann").properties).toEqual({
    ...{ a: 2, c: "é", $browser: "Safari", $initial_browser: "Safari" },
  });
});

test("what a set was given again after an unset holds", async () => {
  const bench = await after(say({ $set: { a: 1 } }), say({ $unset: ["a"] }), say({ $set_once: { a: 2 } }));
  expect(bench.person("ann").properties).toEqual({ a: 2 });
});

test("the first of several that were set once after an unset holds", async () => {
  const once = (a: string) => say({ $set_once: { a } });
  const bench = await after(once("a"), say({ $unset: ["a"] }), once("b"), once("c"));
  expect(bench.person("ann").properties).toEqual({ a: "b" });
});

test("of what an event sets and unsets, what was there goes, and what is new stays", async () => {
  const both = say({ $set: { a: 1, b: 1 }, $set_once: { c: 1 }, $unset: ["a", "b", "c"] });
  for (const together of [true, false]) {
    const bench = new Bench();
    bench.accept(say({ $set: { a: 0 } }));
    if (!together) await bench.flushAll();
    bench.accept(both);
    await bench.flushAll();
    expect(bench.person("ann").properties).toEqual({ b: 1, c: 1 });
  }
});

test("what history told of a property does not hide a live value, when it was unset between them", async () => {
  for (const isForgotten of [true, false]) {
    const bench = new Bench();
    bench.accept(say({ $browser: "a" }));
    bench.accept(say({ $unset: ["$browser", "$initial_browser"] }));
    await bench.flushAll();
    // Another worker takes over, say.
    if (isForgotten) bench.forget();
    bench.accept(accepted("then", "ann", { $browser: "b" }, START_MS - 9_000), { lane: "history" });
    await bench.flushAll();
    bench.accept(say({ $browser: "c" }));
    await bench.flushAll();
    expect(bench.person("ann").properties).toEqual({ $browser: "c", $initial_browser: "c" });
  }
});

test("automatic properties become the person's, their first values too", async () => {
  const bench = await after(
    say({ $browser: "Safari", utm_source: "news", $os_name: "iOS" }),
    say({ $browser: "Safari", utm_source: "mail" }),
  );
  expect(bench.person("ann").properties).toEqual({
    $browser: "Safari",
    $initial_browser: "Safari",
    utm_source: "mail",
    $initial_utm_source: "news",
    $os: "iOS",
    $initial_os: "iOS",
  });
});

test("what changes with every event is written once, until something else is said", async () => {
  const bench = new Bench();
  const flush = async (...events: ReturnType<typeof accepted>[]) => {
    for (const event of events) bench.accept(event);
    return (await bench.flush(bench.queues, 100)).log.length;
  };
  expect(await flush(say({ $browser: "a" }), say({ $browser: "b" }))).toBe(2); // seen, and what the first event tells
  expect(await flush(say({ $browser: "c" }))).toBe(0);
  expect(await flush(say({ $browser: "d" }, "$set"))).toBe(1);
  expect(bench.person("ann").properties.$browser).toBe("d");
  expect(await flush(say({ $browser: "e", $set: { plan: "x" } }))).toBe(2);
  expect(bench.person("ann").properties.$browser).toBe("e");
});

test("an automatic property that was unset is written by the next event, in the same flush and later", async () => {
  for (const together of [true, false]) {
    const bench = new Bench();
    bench.accept(say({ $browser: "a" }));
    await bench.flushAll();
    bench.accept(say({ $unset: ["$browser", "$initial_browser"] }));
    if (!together) await bench.flushAll();
    bench.accept(say({ $browser: "b" }));
    await bench.flushAll();
    expect(bench.person("ann").properties).toEqual({ $browser: "b", $initial_browser: "b" });
  }
});

test("a first value that was unset in its own flush is not taken for known", async () => {
  const bench = new Bench();
  bench.accept(say({ $browser: "a" }));
  bench.accept(say({ $unset: ["$browser", "$initial_browser"] }));
  await bench.flushAll();
  bench.accept(say({ $browser: "b" }));
  await bench.flushAll();
  expect(bench.person("ann").properties).toEqual({ $browser: "b", $initial_browser: "b" });
});

test("some events say nothing of their person's properties", async () => {
  const bench = await after(
    say({ $set: { a: 1 }, $browser: "x" }, "$exception"),
    say({ $set: { b: 1 } }, "$$heatmap"),
    say({ $browser: "x", $set: { c: 1 } }, "$snapshot"),
  );
  expect(bench.person("ann").properties).toEqual({ c: 1 });
});

test("personless events make nobody", async () => {
  const bench = await after(say({ $process_person_profile: false, $set: { a: 1 } }));
  expect(bench.log).toEqual([]);
  expect(bench.outcomes[0]!.rows.length).toBe(1);
});

test("a person exists since its first accepted event", async () => {
  const bench = new Bench();
  bench.accept(accepted("first", "ann", {}, START_MS - 5_000));
  bench.accept(accepted("second", "ann", {}, START_MS - 9_000));
  await bench.flushAll();
  expect(bench.person("ann").createdAtMs).toBe(START_MS - 5_000);
});

test("history never overwrites what is newer, and is overwritten by what came before it", async () => {
  for (const historyFirst of [true, false]) {
    const bench = new Bench();
    bench.accept(accepted("now", "ann", { $set: { a: "live" }, $set_once: { b: "live" } }));
    bench.accept(accepted("then", "ann", { $set: { a: "old", c: "old" }, $set_once: { b: "old" } }, START_MS - 9_000), {
      lane: "history",
    });
    bench.accept(accepted("between", "ann", { $set: { c: "less old" } }, START_MS - 5_000), { lane: "history" });
    const queues = bench.queues.sort((a, b) => (a < b === historyFirst ? -1 : 1));
    for (const queue of queues) await bench.flush([queue], 10);
    expect(bench.person("ann").properties).toEqual({ a: "live", b: "old", c: "less old" });
    expect(bench.person("ann").createdAtMs).toBe(START_MS - 9_000);
  }
});
