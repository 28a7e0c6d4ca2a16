import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import type { Relations } from "../../../src/lake/mod.ts";
import { sql, textConstant } from "../support.ts";
import { TestLake } from "../testLake.ts";
import { idOf, TEAM } from "./support.ts";
import { flushOf, happenings, Told } from "./told.ts";

function countsOf(r: Relations, groups: number): string {
  return `select event, ${r.countPersons({ groups })}, ${r.countPersons({ groups, where: "ordinal % 2 = 0" })}
    from ${r.events({ persons: false, properties: false, keys: [], numbers: true }, textConstant)} group by event order by event`;
}

async function counted(lake: TestLake, groups: number): Promise<Record<string, [number, number]>> {
  const rows = await lake.ask(TEAM, (r) => countsOf(r, groups));
  return Object.fromEntries(rows.map(([event, all, even]) => [String(event), [Number(all), Number(even)]]));
}

let lake: TestLake;

beforeEach(async () => {
  lake = await TestLake.open();
});

afterEach(() => lake.close());

async function live() {
  return (await lake.catalog.segmentChanges(0)).added;
}

describe("counting persons by number", () => {
  test("is exact whatever was merged, compacted and flushed in between, and in which order", async () => {
    await fc.assert(
      fc.asyncProperty(happenings, async (steps) => {
        const fresh = await TestLake.open();
        try {
          const told = new Told(fresh);
          await told.begin();
          for (const step of steps) await told.happen(step);
          expect(await counted(fresh, 3)).toEqual(told.persons());
        } finally {
          await fresh.close();
        }
      }),
      { numRuns: 10 },
    );
  });

  test("compacted events carry numbers, and a person keeps its own", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    const numbers = () =>
      lake.ask(
        TEAM,
        (r) => `select distinct person_id, person_number from
          ${r.events({ persons: true, properties: false, keys: [], numbers: true }, textConstant)} order by all`,
      );
    const before = await numbers();
    expect(before.map(([, number]) => number)).toEqual(expect.arrayContaining([0, 1, 2]));
    await told.store(flushOf(["c", "d"]));
    await told.store(flushOf(["d", "e"]));
    while ((await live()).some(({ kind, isNumbered }) => kind === "events" && !isNumbered)) await told.compact();
    const after = await numbers();
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after.map(([, number]) => Number(number)).toSorted()).toEqual([0, 1, 2, 3, 4]);
    expect((await live()).filter(({ kind }) => kind === "roster")).toHaveLength(1);
  });

  test("a person who came by a merge and has no number is counted by its id", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b", "c"]));
    await told.store(flushOf(["a", "b", "c"]));
    await told.compact();
    await told.merge("a", "d");
    await told.store(flushOf(["d"], 30));
    expect(await lake.ask(TEAM, (r) => `select ${textConstant(r.countPersons({ groups: 3 }))}`)).toEqual([
      [expect.stringMatching(/bitstring.*person_unnumbered/)],
    ]);
    expect(await counted(lake, 3)).toEqual(told.persons());
  });

  test("where the bits of all groups would be too many, persons are counted without", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    expect(await lake.ask(TEAM, (r) => `select ${textConstant(r.countPersons({ groups: 1e12 }))}`)).toEqual([
      [expect.not.stringContaining("bitstring")],
    ]);
    expect(await counted(lake, 1e12)).toEqual(told.persons());
  });

  test("a deleted person is in the roster no more, and its number is not given again", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    await told.erase("b");
    while (await told.compact());
    expect(await counted(lake, 3)).toEqual(told.persons());
    const [roster] = (await live()).filter(({ kind }) => kind === "roster");
    const path = join(lake.directory, `${roster!.id}.parquet`);
    const numbers = async () =>
      (await sql(`select number, person_id from '${path}' order by number`)).map(([n, id]) => [n, id !== null]);
    expect(await numbers()).toHaveLength(3);
    expect((await numbers()).filter(([, isGiven]) => !isGiven)).toHaveLength(1);
    expect(await sql(`select count(*) from '${path}' where person_id = '${idOf("b")}'`)).toEqual([["0"]]);
  });

  test("files with and without numbers are one table, also where a person was deleted between them", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    await told.erase("b");
    const columns = await lake.catalog.readLayout(TEAM);
    await told.store(flushOf(["d"]), columns);
    const ids = (r: Relations) =>
      `select distinct person_id::varchar from ${r.events({ persons: true, properties: false, keys: [] }, textConstant)}`;
    const left = ["a", "c", "d"].map(idOf).toSorted();
    expect((await lake.ask(TEAM, ids)).flat().toSorted()).toEqual(left);
    await told.store(flushOf(["d"]), columns);
    while (await told.compact());
    expect((await lake.ask(TEAM, ids)).flat().toSorted()).toEqual(left);
  });

  test("a second roster of a project is refused as a whole", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    const roster = (await live()).find(({ kind }) => kind === "roster")!;
    const id = crypto.randomUUID();
    const jobId = await lake.claimJob();
    await lake.catalog.registerPending({ ids: [id], writer: jobId, generation: 1, epochs: [] });
    const swap = { jobId, inputs: [], outputs: [{ ...roster, id }], erasedThrough: 0, erasedRows: 0, duplicatesMet: 0 };
    expect(lake.catalog.replaceSegments(swap)).rejects.toThrow("has a roster already");
    expect((await live()).filter(({ kind }) => kind === "roster").map((each) => each.id)).toEqual([roster.id]);
  });
});
