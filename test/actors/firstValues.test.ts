import { expect, test } from "bun:test";
import fc from "fast-check";
import type { LogRow } from "../../src/types/mod.ts";
import { accepted, Bench, START_MS } from "./bench.ts";

const KEYS = ["$browser", "$os", "utm_source", "$referrer"];
/** One event of each time, in any order, which tell some of the keys; how many go into each flush. */
const histories = fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 25 }).chain((times) => {
  const keys = fc.oneof({ weight: 3, arbitrary: fc.constant(KEYS) }, { weight: 1, arbitrary: fc.subarray(KEYS) });
  const events = fc.array(keys, { minLength: times.length, maxLength: times.length });
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: times.length, maxLength: times.length });
  return fc.tuple(fc.constant(times), events, sizes);
});

async function take(times: readonly number[], keysOf: readonly (readonly string[])[], sizes: readonly number[]) {
  const bench = new Bench();
  for (const [i, time] of times.entries()) {
    const properties = Object.fromEntries(keysOf[i]!.map((key) => [key, `at ${time}`]));
    bench.accept(accepted("seen", "ann", properties, START_MS - 5_000 + time), { lane: "history" });
  }
  for (const size of sizes) if (bench.queues.length > 0) await bench.flush(bench.queues, size);
  return bench;
}

const initialOf = (key: string) => `$initial_${key.replace(/^\$/, "")}`;
/** What speaks of first values. */
const said = (log: readonly LogRow[]) =>
  log
    .filter((row) => row.kind === "first" || row.kind === "earlier" || (row.kind === "property" && row.op === "once"))
    .map(({ kind }) => kind);

test("first values are those of the oldest event, in whatever order history comes", async () => {
  const property = fc.asyncProperty(histories, async ([times, keysOf, sizes]) => {
    const bench = await take(times, keysOf, sizes);
    const { properties } = bench.person("ann");
    for (const key of KEYS) {
      const oldest = Math.min(...times.filter((_, i) => keysOf[i]!.includes(key)));
      expect(properties[initialOf(key)]).toBe(oldest === Infinity ? undefined : `at ${oldest}`);
    }
  });
  await fc.assert(property, { numRuns: 300 });
});

test("of events that tell the same, only what is older than all before it is told again, in one row", async () => {
  const property = fc.asyncProperty(histories, async ([times]) => {
    const all = times.map(() => KEYS);
    const ones = times.map(() => 1);
    const bench = await take(times, all, ones);
    const older = times.filter((time, i) => i > 0 && times.slice(0, i).every((before) => time < before));
    expect(said(bench.log)).toEqual(["first", ...older.map(() => "earlier" as const)]);
  });
  await fc.assert(property, { numRuns: 200 });
});

test("one row each for the oldest and the newest of a flush", async () => {
  const bench = await take([9, 3, 5, 4, 7], [KEYS, KEYS, KEYS, KEYS, KEYS], [1, 4]);
  expect(said(bench.log)).toEqual(["first", "earlier"]);
  expect(bench.person("ann").properties.$initial_os).toBe("at 3");
});
