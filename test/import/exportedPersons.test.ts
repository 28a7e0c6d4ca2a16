import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { groupPersons, mapGroupedPerson } from "../../src/import/exported/groupPersons.ts";
import { Fields } from "../../src/import/fields.ts";
import type { ImportedPerson } from "../../src/import/types.ts";
import { RowRejected } from "../../src/import/types.ts";
import type { JsonObject } from "../../src/types/mod.ts";

const scratch = mkdtempSync(join(tmpdir(), "weir-persons-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function linesOf(rows: readonly JsonObject[]): Promise<string[]> {
  const lines: string[] = [];
  const placed = async function* () {
    for (const [i, row] of rows.entries()) yield { value: () => row, place: { file: "persons.jsonl", line: i + 1 } };
  };
  await groupPersons(placed(), scratch, (line) => lines.push(line));
  return lines;
}

async function grouped(rows: readonly JsonObject[]): Promise<ImportedPerson[]> {
  return (await linesOf(rows)).map((line) => {
    const mapped = mapGroupedPerson(new Fields(JSON.parse(line)));
    if (!("person" in mapped)) throw new Error("no person");
    return mapped.person;
  });
}

const row = (distinctId: string, personId: string, more: JsonObject = {}): JsonObject => ({
  team_id: 1,
  distinct_id: distinctId,
  person_id: personId,
  properties: {},
  person_version: 1,
  person_distinct_id_version: 0,
  created_at: "2024-01-01 00:00:00",
  ...more,
});

describe("rows of the persons model", () => {
  test("are a person with all its ids", async () => {
    const rows = [row("b", "P", { properties: '{"plan":"pro"}' }), row("a", "P"), row("c", "Q")];
    expect((await grouped(rows)).sort((x, y) => y.distinct_ids.length - x.distinct_ids.length)).toEqual([
      { distinct_ids: ["a", "b"], properties: expect.any(Object), created_at: "2024-01-01T00:00:00.000Z" },
      { distinct_ids: ["c"], properties: {}, created_at: "2024-01-01T00:00:00.000Z" },
    ]);
  });

  test("count by their newest versions", async () => {
    const rows = [
      row("a", "old", { person_distinct_id_version: 0 }),
      row("a", "new", { person_distinct_id_version: 3, person_version: 1, properties: { plan: "free" } }),
      row("b", "new", { person_version: 7, properties: { plan: "pro" } }),
      row("c", "gone", { person_version: 1 }),
      row("c", "gone", { person_version: 101, is_deleted: 1 }),
    ];
    expect(await grouped(rows)).toEqual([
      { distinct_ids: ["a", "b"], properties: { plan: "pro" }, created_at: "2024-01-01T00:00:00.000Z" },
    ]);
  });

  test("tell whether they are identified, where their newest row does", async () => {
    const rows = [
      row("a", "A", { is_identified: true }),
      row("a", "A", { is_identified: false, person_version: 2 }),
      row("b", "B", { is_identified: 1 }),
      row("c", "C", {}),
    ];
    const told = (await grouped(rows)).map((person) => [person.distinct_ids[0], person.is_identified]);
    expect(told.toSorted()).toEqual([
      ["a", false],
      ["b", true],
      ["c", undefined],
    ]);
  });

  test("of ids that many people share are persons of their own", async () => {
    const shared = await grouped([
      row("ada", "P", { properties: { a: 1 } }),
      row("anonymous", "P", { properties: { a: 1 } }),
    ]);
    expect(shared.map(({ distinct_ids }) => distinct_ids)).toEqual([["ada"]]);
  });

  test("of a person with thousands of ids are several requests with an id in common", async () => {
    const rows = Array.from({ length: 2500 }, (_, i) => row(`id ${i}`, "P"));
    const persons = await grouped(rows);
    expect(persons.map(({ distinct_ids }) => distinct_ids.length)).toEqual([1000, 1000, 502]);
    expect(new Set(persons.map(({ distinct_ids }) => distinct_ids[0])).size).toBe(1);
    expect(new Set(persons.flatMap(({ distinct_ids }) => distinct_ids)).size).toBe(2500);
  });

  test("that name nobody are told with their place", async () => {
    const [line] = await linesOf([row("a", "P", { person_id: null })]);
    expect(() => mapGroupedPerson(new Fields(JSON.parse(line!)))).toThrow(RowRejected);
    expect(() => mapGroupedPerson(new Fields(JSON.parse(line!)))).toThrow("persons.jsonl:1");
  });

  test("give the same bytes in any order", async () => {
    const one = fc.record({
      id: fc.integer({ min: 0, max: 9 }),
      person: fc.integer({ min: 0, max: 4 }),
      v: fc.integer({ min: 0, max: 3 }),
      w: fc.integer({ min: 0, max: 3 }),
      plan: fc.string(),
    });
    const rows = fc
      .array(one, { maxLength: 40 })
      .map((list) =>
        list.map(({ id, person, v, w, plan }) =>
          row(`id${id}`, `p${person}`, { person_version: v, person_distinct_id_version: w, properties: { plan } }),
        ),
      );
    const shuffled = rows.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    await fc.assert(
      fc.asyncProperty(shuffled, async ([list, other]) => expect(await linesOf(other)).toEqual(await linesOf(list))),
      { numRuns: 30 },
    );
  });
});
