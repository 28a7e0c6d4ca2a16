import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { PostHog } from "../actors/posthog.ts";
import { Random } from "../support/random.ts";
import { startWeir, type Weir } from "../support/weir.ts";

let weir: Weir;
beforeAll(async () => {
  weir = await startWeir();
});
afterAll(() => weir[Symbol.asyncDispose]());
beforeEach(() => weir.enterFreshProject());

interface Sent {
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: JsonObject;
}

const on = (day: string, event: string, who: string, properties: JsonObject): Sent => {
  return { event, distinct_id: who, timestamp: `${day}T10:00:00Z`, properties };
};

async function send(events: readonly Sent[], historical: boolean): Promise<void> {
  expect((await weir.batch(events, { historical })).status).toBe(200);
}

async function theOnlyPerson(): Promise<JsonObject> {
  await weir.waitStored();
  const { results } = await weir.query("SELECT properties FROM persons");
  expect(results).toHaveLength(1);
  return JSON.parse(results[0]![0] as string);
}

const FIRST_TOUCHES = [
  on("2023-01-01", "$pageview", "A", { utm_source: "google", $set_once: { first: "landing" } }),
  on("2023-01-02", "$identify", "U", { $anon_distinct_id: "A" }),
  on("2023-06-01", "$pageview", "U", { utm_source: "newsletter", $set_once: { first: "mail" } }),
];

test.each([true, false])("first touches go through a merge in one request, historical: %p", async (historical) => {
  await send(FIRST_TOUCHES, historical);
  const expected = { utm_source: "newsletter", $initial_utm_source: "google", first: "landing" };
  expect(await theOnlyPerson()).toMatchObject(expected);
});

test.each([true, false])("the newest value holds after a merge in one request, historical: %p", async (historical) => {
  const events = [
    on("2023-01-01", "$set", "A", { $set: { plan: 1 } }),
    on("2023-01-02", "$identify", "U", { $anon_distinct_id: "A" }),
    on("2023-01-03", "$set", "U", { $set: { plan: 2 } }),
    on("2023-01-04", "$set", "A", { $set: { plan: 3 } }),
  ];
  await send(events, historical);
  expect(await theOnlyPerson()).toEqual({ plan: 3 });
});

test("what the target of a merge said before it in the request is older than the merge", async () => {
  await send([on("2023-01-01", "$set", "A", { $set_once: { first: "A" } })], false);
  await send(
    [
      on("2023-01-02", "$set", "U", { $set_once: { first: "U" } }),
      on("2023-01-03", "$identify", "U", { $anon_distinct_id: "A" }),
    ],
    false,
  );
  expect(await theOnlyPerson()).toEqual({ first: "U" });
});

test("a live value is not overwritten by history that a merge of history brings", async () => {
  const live = { event: "$set", distinct_id: "A", properties: { $set: { plan: "live" } } };
  expect((await weir.batch([live])).status).toBe(200);
  await weir.waitStored();
  const history = [
    on("2023-01-01", "$set", "U", { $set: { plan: "old" } }),
    on("2023-01-02", "$identify", "U", { $anon_distinct_id: "A" }),
  ];
  await send(history, true);
  expect(await theOnlyPerson()).toEqual({ plan: "live" });
});

const PERSONS = 2_500;
const ROUNDS = 14;

/** In each round everybody sends one event; many of them merge. */
function rounds(random: Random): Sent[][] {
  const value = () => random.int(0, 999);
  const says = (): JsonObject => ({
    ...(random.chance(0.6) ? { $set: { [random.pick(["plan", "city"])]: value() } } : {}),
    ...(random.chance(0.6) ? { $set_once: { [random.pick(["plan", "first"])]: value() } } : {}),
    ...(random.chance(0.15) ? { $unset: [random.pick(["plan", "first"])] } : {}),
  });
  return Array.from({ length: ROUNDS }, (_, round) =>
    Array.from({ length: PERSONS }, (_, n): Sent => {
      const someone = () => `${n}-${random.pick(["anon", "phone", "user", "mail"])}`;
      const [who, other] = [someone(), someone()];
      const event = random.chance(0.4)
        ? random.pick(["$identify", "$identify", "$create_alias", "$merge_dangerously"])
        : "bought";
      const merge: JsonObject =
        event === "bought" ? {} : event === "$identify" ? { $anon_distinct_id: other } : { alias: other };
      const timestamp = new Date(Date.UTC(2023, 0, 1) + round * 86_400_000 + n * 1_000).toISOString();
      return { event, distinct_id: who, timestamp, properties: { ...merge, ...says() } };
    }),
  );
}

async function storedPersons() {
  await weir.waitStored();
  const ids = (await weir.query("SELECT distinct_id, person_id FROM person_distinct_ids LIMIT 50000")).results;
  const persons = (await weir.query("SELECT id, is_identified, properties FROM persons LIMIT 50000")).results;
  const idsOf = Map.groupBy(ids as [string, string][], ([, personId]) => personId);
  return Object.fromEntries(
    (persons as [string, boolean, string][]).map(([id, isIdentified, properties]) => {
      const own = (idsOf.get(id) ?? []).map(([distinctId]) => distinctId).sort();
      return [own.join(" "), { isIdentified, properties: JSON.parse(properties) }];
    }),
  );
}

test.each([true, false])(
  `${PERSONS} persons who merge a lot are those of PostHog, historical: %p`,
  async (historical) => {
    const all = rounds(new Random(7));
    const posthog = new PostHog();
    for (const { event, distinct_id: distinctId, properties } of all.flat()) {
      posthog.take({ event, distinctId, properties: JSON.stringify(properties) });
    }
    for (const round of all) await send(round, historical);
    const [should, is] = [posthog.persons(), await storedPersons()];
    expect(Object.keys(is).sort()).toEqual(Object.keys(should).sort());
    const wrong = Object.keys(should).filter((ids) => !Bun.deepEquals(is[ids], should[ids]));
    expect(wrong.map((ids) => ({ ids, should: should[ids], is: is[ids] })).slice(0, 3)).toEqual([]);
  },
);
