import fc from "fast-check";
import { personIdOf, type Version } from "../../../src/types/mod.ts";
import type { TestLake } from "../testLake.ts";
import { type ModelPerson, replay, type Saying } from "./model.ts";

export const TEAM = 1;
export const idOf = (id: string): string => personIdOf(TEAM, id);

const IDS = ["a", "b", "c", "d"];
const id = fc.constantFrom(...IDS);
const key = fc.constantFrom("x", "x", "y", "$initial_x");
const value = fc.integer({ min: 0, max: 1e9 }).map(String);
type Unplaced<S = Saying> = S extends Saying ? Omit<S, "at"> : never;
const words: fc.Arbitrary<Unplaced> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("set" as const, "once" as const), id, key, value }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("unset" as const), id, key }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("turn" as const), op: fc.constantFrom("set", "once"), id, key, value }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("first" as const, "earlier" as const),
      id,
      values: fc.dictionary(fc.constantFrom("x", "y"), value, { minKeys: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("see" as const), id, atMs: fc.integer({ min: -9, max: 9 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("merge" as const), id, into: id, n: fc.integer({ min: 0, max: 99 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("identify" as const), id }) },
);

/** What is said of a few ids, in an order of its own: versions have nothing to do with the place in the list. */
const history: fc.Arbitrary<Saying[]> = fc
  .array(fc.tuple(words, fc.integer({ min: -5, max: 20 }), fc.integer({ min: 1, max: 3 })), {
    maxLength: 16,
    size: "max",
  })
  .map((list) => list.map(([words, tMs, source], n) => ({ ...words, at: placeOf(words, tMs, source, n) }) as Saying));

/** Many histories in one project, each with ids of its own, so that one question tries them all. */
export const histories: fc.Arbitrary<Saying[]> = fc
  .array(history, { maxLength: 100, size: "max" })
  .map((list) => list.flatMap((sayings, n) => sayings.map((saying) => ownIds(saying, `${n}`))));

function ownIds(saying: Saying, prefix: string): Saying {
  const own = { ...saying, id: prefix + saying.id };
  return own.do === "merge" ? { ...own, into: prefix + own.into } : own;
}

/** No two ids speak at one place; merges are decided by the identity lane. */
function placeOf(words: Unplaced, tMs: number, source: number, n: number): Version {
  const isIdentity = words.do === "merge" || words.do === "identify";
  return { tMs, source: isIdentity ? 0 : source, ordinal: 2 ** 52 + n };
}

/** What the model knows of persons, as the relations should give it. */
export function expected(sayings: readonly Saying[]) {
  const persons = replay(sayings).filter((person) => person.createdAtMs !== null);
  const sorted = <T>(rows: T[]): T[] => rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const propertiesOf = ({ properties }: ModelPerson) =>
    `{${Object.keys(properties)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${properties[key]}`)
      .join(",")}}`;
  return {
    persons: sorted(
      persons.map((person) => [idOf(person.root), person.createdAtMs, propertiesOf(person), person.isIdentified]),
    ),
    distinctIds: sorted(persons.flatMap((person) => person.ids.map((id) => [id, idOf(person.root)]))),
    x: sorted(
      replay(sayings).flatMap(({ root, properties }) =>
        properties.x === undefined ? [] : [[idOf(root), properties.x]],
      ),
    ),
  };
}

/** The same as the lake has it. */
export async function found(lake: TestLake): Promise<ReturnType<typeof expected>> {
  const rows = async (text: Parameters<TestLake["ask"]>[1], params: string[] = []) =>
    (await lake.ask(TEAM, text, params)).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const persons = await rows(
    (r) =>
      `select id, epoch_ms(created_at)::integer, properties, is_identified from ${r.persons({ properties: true })}`,
  );
  const distinctIds = await rows((r) => `select distinct_id, person_id from ${r.distinctIds()}`);
  const x = await rows((r) => `select person_id, value from ${r.personProperty("$1::VARCHAR")}`, ["x"]);
  return { persons, distinctIds, x } as ReturnType<typeof expected>;
}
