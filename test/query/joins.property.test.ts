import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { personIdOf } from "../../src/types/mod.ts";
import { MemoryLake, type TestEvent, type TestPerson } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { hogql } from "./support.ts";

setDefaultTimeout(CASES_MS);

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(() => lake.close());

type Properties = Record<string, string | number | null>;
const properties: fc.Arbitrary<Properties> = fc.dictionary(
  fc.constantFrom("k", "n", "a/b~c", ""),
  fc.constantFrom("x", "y", "1", 1, 2, null),
);
const asked = fc.record({
  events: fc.array(fc.record({ distinctId: fc.constantFrom("p1", "p2", "p3", "p4"), properties }), { maxLength: 12 }),
  parts: fc.constantFrom<string[][]>(
    [],
    [["p1"]],
    [["p1", "p2"], ["p3"]],
    [["p4", "p1", "p3"]],
    [["p2", "p9"], ["p4"]],
  ),
  properties: fc.array(properties, { minLength: 2, maxLength: 2 }),
  left: fc.boolean(),
  keys: fc.tuple(fc.constantFrom("k", "n", "a/b~c", ""), fc.constantFrom("k", "n")),
  on: fc.constantFrom("", "=", "!="),
  where: fc.constantFrom("", "=", "!=", "is null"),
});

const textOf = (value: string | number | null | undefined): string | null => (value == null ? null : String(value));

/** HogQL's: two NULLs are equal. */
function holds(operator: string, a: string | null, b: string | null): boolean {
  if (operator === "") return true;
  return operator === "=" ? a === b : operator === "!=" ? a !== b : a === null;
}

test("events joined with persons are what nested loops give", async () => {
  await fc.assert(
    fc.asyncProperty(asked, async (given) => {
      const persons: TestPerson[] = given.parts.map((distinctIds, i) => ({
        distinctIds,
        properties: given.properties[i]!,
      }));
      const events: TestEvent[] = given.events.map((event, i) => ({ ...event, event: `e${i}`, timestampMs: i }));
      await lake.empty();
      await lake.add(events);
      await lake.addPersons(persons);

      const [a, b] = given.keys;
      const kind = given.left ? "left join" : "join";
      const on = given.on === "" ? "" : ` and p.properties.\`${a}\` ${given.on} e.properties.\`${b}\``;
      const right = given.where === "is null" ? "" : ` p.properties.\`${b}\``;
      const where = given.where === "" ? "" : ` where e.person.properties.\`${a}\` ${given.where}${right}`;
      const { results } = await hogql(
        lake,
        `select e.event, p.id, p.properties.\`${a}\`, e.person.properties.\`${b}\` from events e ${kind} persons p on e.person_id = p.id${on}${where} order by e.timestamp`,
      );

      const expected: unknown[][] = [];
      for (const event of events) {
        const own = event.properties as Properties;
        const person = persons.find(({ distinctIds }) => distinctIds.includes(event.distinctId));
        const of = (from: TestPerson | undefined, key: string) => textOf((from?.properties as Properties)?.[key]);
        // In ON an equality with NULL never holds.
        const isNullInOn = given.on === "=" && of(person, a) === null;
        const meets = person !== undefined && !isNullInOn && holds(given.on, of(person, a), textOf(own[b]));
        if (!meets && !given.left) continue;
        const joined = meets ? person : undefined;
        if (!holds(given.where, of(person, a), of(joined, b))) continue;
        const id = joined === undefined ? null : personIdOf(1, joined.distinctIds[0]!);
        expected.push([event.event, id, of(joined, a), of(person, b)]);
      }
      expect(results).toEqual(expected);
    }),
    { numRuns: runs(150) },
  );
});
