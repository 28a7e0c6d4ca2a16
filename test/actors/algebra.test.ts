import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonObject, Lane } from "../../src/types/mod.ts";
import type { ModelTeam } from "../simulation/model.ts";
import { accepted, Bench, START_MS } from "./bench.ts";

const IDS = ["ann", "bob", "cyd", "dan"];
const KEYS = ["plan", "city", "utm_source"];
const partitionOf = (id: string) => IDS.indexOf(id) % 3;

interface Step {
  name: string;
  id: string;
  properties: JsonObject;
  lane: Lane;
  ageMs: number;
  afterMs: number;
}

const id = fc.constantFrom(...IDS);
const values = fc.dictionary(fc.constantFrom(...KEYS), fc.integer({ min: 0, max: 9 }), { minKeys: 1, maxKeys: 2 });
const says = fc.oneof(
  fc.record({ $set: values }),
  fc.record({ $set_once: values }),
  fc.record({ $set: values, $set_once: values }),
  fc.record({ $unset: fc.subarray(KEYS, { minLength: 1 }) }),
  fc.record({ $set: values, $set_once: values, $unset: fc.subarray(KEYS, { minLength: 1 }) }),
  fc.record({ $browser: fc.constantFrom("x", "y"), utm_source: fc.constantFrom("m", "n") }),
);
const content = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: fc.constantFrom("bought", "$set"), properties: says }) },
  {
    weight: 2,
    arbitrary: fc.tuple(id, says).map(([other, more]) => {
      return { name: "$identify", properties: { $anon_distinct_id: other, ...more } as JsonObject };
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom("$create_alias", "$merge_dangerously"), id).map(([name, alias]) => {
      return { name, properties: { alias } as JsonObject };
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom("acme", "bolt"), values).map(([key, set]) => {
      return { name: "$groupidentify", properties: { $group_type: "company", $group_key: key, $group_set: set } };
    }),
  },
);
const history: fc.Arbitrary<Step[]> = fc.array(
  fc
    .tuple(content, id, fc.constantFrom<Lane>("live", "live", "live", "history", "overflow"), fc.nat(50), fc.nat(2))
    .map(([{ name, properties }, who, lane, ageMs, afterMs]): Step => {
      return { name, properties: properties as JsonObject, id: who, lane, ageMs, afterMs };
    }),
  { minLength: 1, maxLength: 25 },
);
/** How it is delivered: which queues a flush takes of, how much, and whether it fails and is tried again. */
const delivery = fc.array(
  fc.record({ draw: fc.nat(1_000), count: fc.integer({ min: 1, max: 6 }), fails: fc.boolean() }),
  {
    maxLength: 30,
  },
);

function accept(steps: readonly Step[]): Bench {
  const bench = new Bench();
  for (const { name, id: who, properties, lane, ageMs, afterMs } of steps) {
    bench.accept(accepted(name, who, properties, START_MS - ageMs), { lane, partition: partitionOf(who), afterMs });
  }
  return bench;
}

async function deliver(
  bench: Bench,
  turns: readonly { draw: number; count: number; fails: boolean }[],
): Promise<ModelTeam> {
  for (const { draw, count, fails } of turns) {
    const { queues } = bench;
    if (queues.length === 0) break;
    const first = draw % queues.length;
    const taken = draw % 3 === 0 ? queues.filter((key) => !key.startsWith("identity")) : [queues[first]!];
    if (taken.length === 0) continue;
    if (fails) await bench.flush(taken, count + 2, true);
    await bench.flush(taken, count);
  }
  await bench.flushAll();
  return withoutNoise(bench.fold());
}

/** `$browser` changes with nearly every event, and may be an older one (engine rule 11). */
function withoutNoise({ persons, groups }: ModelTeam): ModelTeam {
  const kept = persons.map((person) => {
    const { $browser: _, ...properties } = person.properties;
    return { ...person, properties };
  });
  return { persons: kept, groups };
}

test("however it is delivered, the same history gives the same persons and groups", async () => {
  await fc.assert(
    fc.asyncProperty(history, delivery, async (steps, turns) => {
      const atOnce = await deliver(accept(steps), []);
      expect(await deliver(accept(steps), turns)).toEqual(atOnce);
    }),
    { numRuns: 1_500 },
  );
});

test("one id, in order: every key is what its last word left", async () => {
  const keys = [...KEYS, "$browser", "$initial_browser"];
  const word = fc.oneof(
    fc.record({ $set: values }),
    fc.record({ $set_once: values }),
    fc.record({ $unset: fc.subarray(keys, { minLength: 1 }) }),
    fc.record({ $set: values, $set_once: values, $unset: fc.subarray(keys, { minLength: 1 }) }),
    fc.record({ $browser: fc.constantFrom("x", "y") }),
    fc.record({ $browser: fc.constantFrom("x", "y"), $unset: fc.subarray(keys, { minLength: 1 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 15 }), delivery, async (words, turns) => {
      const bench = new Bench();
      for (const properties of words) bench.accept(accepted("bought", "ann", properties as JsonObject));
      await deliver(bench, turns);
      const is = bench.person("ann").properties;
      const should = lastWords(words as JsonObject[]);
      expect(Object.keys(is).sort()).toEqual(Object.keys(should).sort());
      for (const key of [...KEYS, "$initial_browser"]) expect(is[key]).toEqual(should[key]);
    }),
    { numRuns: 1_500 },
  );
});

/** Word by word, as PostHog does it: of the keys that an event unsets those go that were there before it. */
function lastWords(words: readonly JsonObject[]): JsonObject {
  const state: JsonObject = {};
  for (const word of words) {
    const removed = ((word.$unset ?? []) as string[]).filter((key) => key in state);
    const once = { ...((word.$set_once ?? {}) as JsonObject) };
    if (word.$browser !== undefined) once.$initial_browser = word.$browser;
    if (word.$browser !== undefined) state.$browser = word.$browser;
    Object.assign(state, word.$set);
    for (const [key, value] of Object.entries(once)) if (!(key in state)) state[key] = value;
    for (const key of removed) delete state[key];
  }
  return state;
}
