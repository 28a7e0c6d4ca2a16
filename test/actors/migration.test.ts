import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject, Lane } from "../../src/types/mod.ts";
import { accepted, Bench, START_MS } from "./bench.ts";
import { PostHog } from "./posthog.ts";

const IDS = ["ann", "bob", "cyd", "dan", "eve"];
const KEYS = ["plan", "city"];
const YEAR_MS = 365 * 86_400_000;

interface Step {
  name: string;
  id: string;
  properties: JsonObject;
  /** Since the step before. */
  afterMs: number;
}

const id = fc.constantFrom(...IDS);
const values = fc.dictionary(fc.constantFrom(...KEYS), fc.nat(999), { minKeys: 1 });
const says = fc.record(
  { $set: values, $set_once: values, $unset: fc.subarray(KEYS, { minLength: 1 }) },
  { requiredKeys: [] },
);
const merging = fc.tuple(fc.constantFrom("$identify", "$create_alias", "$merge_dangerously"), id, says);
const content = fc.oneof(
  { weight: 3, arbitrary: says.map((properties) => ({ name: "bought", properties: properties as JsonObject })) },
  {
    weight: 2,
    arbitrary: merging.map(([name, other, more]) => {
      const named: JsonObject = name === "$identify" ? { $anon_distinct_id: other } : { alias: other };
      return { name, properties: { ...named, ...more } as JsonObject };
    }),
  },
);
const story: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(content, id, fc.integer({ min: 2, max: 90 })).map(([one, who, afterMs]) => ({ ...one, id: who, afterMs })),
  { minLength: 1, maxLength: 25 },
);

/** Takes the story as it happens, or years later and in order of its times. */
async function persons(steps: readonly Step[], lane: Lane, flushes: readonly number[]) {
  const bench = new Bench();
  let atMs = START_MS - YEAR_MS;
  for (const { name, id: who, properties, afterMs } of steps) {
    atMs += afterMs;
    const o = { lane, partition: IDS.indexOf(who) % 3, afterMs: lane === "live" ? afterMs : 0 };
    bench.accept(accepted(name, who, properties, atMs), o);
  }
  for (const draw of flushes) {
    const { queues } = bench;
    if (queues.length > 0) await bench.flush([queues[draw % queues.length]!], 1 + (draw % 4));
  }
  await bench.flushAll();
  return bench.personsByIds();
}

function byPostHog(steps: readonly Step[]) {
  const posthog = new PostHog();
  for (const { name, id: who, properties } of steps) posthog.take(accepted(name, who, properties));
  return posthog.persons();
}

test("live or migrated in order of time: persons are those that PostHog makes of the events one by one", async () => {
  const property = fc.asyncProperty(story, fc.array(fc.nat(1_000), { maxLength: 20 }), async (steps, flushes) => {
    const should = byPostHog(steps);
    expect(await persons(steps, "live", flushes)).toEqual(should);
    expect(await persons(steps, "history", flushes)).toEqual(should);
  });
  await fc.assert(property, { numRuns: 2_000 });
});

const DAY_MS = 86_400_000;
const at = (day: number) => START_MS - YEAR_MS + day * DAY_MS;
const migrate = (bench: Bench, name: string, who: string, day: number, properties: JsonObject) =>
  bench.accept(accepted(name, who, properties, at(day)), { lane: "history" });

test("a migration keeps first touches through a merge", async () => {
  const bench = new Bench();
  const page = (who: string, day: number, source: string, first: string) =>
    migrate(bench, "$pageview", who, day, { utm_source: source, $set_once: { first } });
  page("A", 1, "google", "landing");
  migrate(bench, "$identify", "U", 2, { $anon_distinct_id: "A" });
  page("U", 150, "newsletter", "mail");
  await bench.flushAll();
  const { properties } = bench.person("U");
  expect(properties).toEqual({ utm_source: "newsletter", $initial_utm_source: "google", first: "landing" });
});

test("after a merge of history the newest value holds, whichever id says it", async () => {
  const bench = new Bench();
  migrate(bench, "$set", "A", 1, { $set: { plan: 1 } });
  migrate(bench, "$identify", "U", 2, { $anon_distinct_id: "A" });
  migrate(bench, "$set", "U", 3, { $set: { plan: 2 } });
  migrate(bench, "$set", "A", 4, { $set: { plan: 3 } });
  await bench.flushAll();
  expect(bench.person("U").properties).toEqual({ plan: 3 });
});

test("history does not overwrite a live value through its merges", async () => {
  for (const [live, old] of [
    ["A", "U"],
    ["U", "A"],
  ] as const) {
    const bench = new Bench();
    bench.accept(accepted("$set", live, { $set: { plan: "live" } }));
    migrate(bench, "$set", old, 1, { $set: { plan: "old" } });
    migrate(bench, "$identify", "U", 2, { $anon_distinct_id: "A" });
    await bench.flushAll();
    expect(bench.person("U").properties).toEqual({ plan: "live" });
  }
});

test("a merge of history after one that is younger: who survives is decided by order, values by time", async () => {
  const bench = new Bench();
  bench.accept(accepted("$set", "B", { $set: { plan: "B" } }));
  bench.accept(accepted("$set", "C", { $set: { plan: "C" } }));
  bench.accept(accepted("$identify", "C", { $anon_distinct_id: "B" }));
  await bench.flushAll();
  migrate(bench, "$set", "A", 1, { $set: { plan: "A", city: "A" } });
  migrate(bench, "$set", "C", 1, { $set: { city: "C" } });
  migrate(bench, "$merge_dangerously", "A", 2, { alias: "C" });
  await bench.flushAll();
  // A was with C since long before B came; C's own value is the older one then, and the target's wins over it.
  expect(bench.person("B")).toMatchObject({ ids: ["A", "B", "C"], properties: { plan: "C", city: "A" } });
});
