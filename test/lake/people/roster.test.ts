import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { Compactor, type Relations } from "../../../src/lake/mod.ts";
import type { EventRow, IdentityRow, Move } from "../../../src/types/mod.ts";
import { row, sql, textConstant } from "../support.ts";
import { TestLake } from "../testLake.ts";
import { idOf, TEAM } from "./support.ts";

const KiB = 1024;
const IDS = ["a", "b", "c", "d", "e", "f", "g", "h"];
const EVENTS = ["seen", "bought", "left"];

/** A lake beside what it must say: the events, and where each id's person is now. */
class Told {
  events: EventRow[] = [];
  private stored = 0;
  readonly survivors = new Map(IDS.map((id) => [id, id]));
  private readonly moves = new Map<string, Move[]>(IDS.map((id) => [id, []]));
  private readonly compactor: Compactor;
  private versions = 0;

  constructor(readonly lake: TestLake) {
    const config = {
      compactTargetBytes: 16 * KiB,
      compactFanout: 2,
      compactMs: 5,
      compactMemoryBytes: 256 * KiB * KiB,
      squashMs: 0,
      eraseMs: 0,
      backfillMs: 0,
      backfillBytesPerMinute: 1e9,
    };
    const { catalog, directory } = lake;
    this.compactor = new Compactor({ config, catalog, directory, holder: "compactor", log: () => {} });
  }

  async store(list: readonly { id: string; event: string }[]): Promise<void> {
    const rows = list.map(({ id, event }, i) => row(this.stored + i, { event, distinctId: id, personId: idOf(id) }));
    this.stored += rows.length;
    this.events.push(...rows);
    await this.lake.flush(rows, []);
  }

  async merge(from: string, into: string): Promise<void> {
    const [source, target] = [this.survivors.get(from)!, this.survivors.get(into)!];
    if (source === target) return;
    const tMs = ++this.versions;
    const moved = IDS.filter((id) => this.survivors.get(id) === source);
    for (const id of moved) {
      this.survivors.set(id, target);
      this.moves.get(id)!.push({ into: idOf(target), tMs, ordinal: 0 });
    }
    const nodes = [...moved, target].map(
      (id): IdentityRow => ({
        kind: "identity",
        teamId: TEAM,
        version: { tMs, source: 0, ordinal: 0 },
        distinctId: id,
        personId: idOf(id),
        survivorId: idOf(target),
        isIdentified: false,
        moves: this.moves.get(id)!,
      }),
    );
    await this.lake.flush([], nodes);
  }

  /** What there is of a person goes; its ids begin anew. */
  async erase(id: string): Promise<void> {
    const survivor = this.survivors.get(id)!;
    const distinctIds = IDS.filter((each) => this.survivors.get(each) === survivor);
    const accepted = { generation: 1, sequences: [] };
    const asked = { teamId: TEAM, personId: idOf(survivor), distinctIds, withEvents: true, accepted, requestedAtMs: 0 };
    expect(await this.lake.catalog.erasePerson(asked)).toBe(true);
    this.events = this.events.filter(({ distinctId }) => !distinctIds.includes(distinctId));
    for (const each of distinctIds) {
      this.survivors.set(each, each);
      this.moves.set(each, []);
    }
  }

  /** One job; false when there is nothing to do. */
  async compact(): Promise<boolean> {
    expect(await this.compactor.isAlone()).toBe(true);
    return this.compactor.step();
  }

  /** Persons by event, of all events and of the even ones. */
  persons(): Record<string, [number, number]> {
    const persons = (list: EventRow[]) => new Set(list.map(({ distinctId }) => this.survivors.get(distinctId))).size;
    return Object.fromEntries(
      [...Map.groupBy(this.events, ({ event }) => event)].map(([event, own]) => {
        return [event, [persons(own), persons(own.filter(({ ordinal }) => ordinal % 2 === 0))]];
      }),
    );
  }

  async counted(groups: number): Promise<Record<string, [number, number]>> {
    const rows = await this.lake.ask(TEAM, (r) => countsOf(r, groups));
    return Object.fromEntries(rows.map(([event, all, even]) => [String(event), [Number(all), Number(even)]]));
  }
}

function countsOf(r: Relations, groups: number): string {
  return `select event, ${r.countPersons({ groups })}, ${r.countPersons({ groups, where: "ordinal % 2 = 0" })}
    from ${r.events({ persons: false, properties: false, keys: [], numbers: true }, textConstant)} group by event order by event`;
}

let lake: TestLake;

beforeEach(async () => {
  lake = await TestLake.open();
});

afterEach(() => lake.close());

/** Enough rows for a project to get files of its own. */
const flushOf = (ids: readonly string[], rows = 400) =>
  Array.from({ length: rows }, (_, i) => ({ id: ids[i % ids.length]!, event: EVENTS[i % EVENTS.length]! }));

async function live() {
  return (await lake.catalog.segmentChanges(0)).added;
}

describe("counting persons by number", () => {
  test("is exact whatever was merged, compacted and flushed in between, and in which order", async () => {
    const id = fc.constantFrom(...IDS);
    const step = fc.oneof(
      fc.record({ store: fc.array(id, { minLength: 1, maxLength: 8 }) }),
      fc.record({ merge: fc.tuple(id, id) }),
      fc.record({ erase: id }),
      fc.record({ compact: fc.constant(true) }),
      fc.record({ compact: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
        const fresh = await TestLake.open();
        try {
          const told = new Told(fresh);
          // From here on some persons have numbers.
          for (const ids of [
            ["a", "b"],
            ["c", "a"],
          ])
            await told.store(flushOf(ids));
          await told.compact();
          for (const each of steps) {
            if ("store" in each) await told.store(flushOf(each.store, 30));
            else if ("merge" in each) await told.merge(...each.merge);
            else if ("erase" in each) await told.erase(each.erase);
            else await told.compact();
          }
          expect(await told.counted(3)).toEqual(told.persons());
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
    expect(await told.counted(3)).toEqual(told.persons());
  });

  test("where the bits of all groups would be too many, persons are counted without", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    expect(await lake.ask(TEAM, (r) => `select ${textConstant(r.countPersons({ groups: 1e12 }))}`)).toEqual([
      [expect.not.stringContaining("bitstring")],
    ]);
    expect(await told.counted(1e12)).toEqual(told.persons());
  });

  test("a deleted person is in the roster no more, and its number is not given again", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    await told.erase("b");
    while (await told.compact());
    expect(await told.counted(3)).toEqual(told.persons());
    const [roster] = (await live()).filter(({ kind }) => kind === "roster");
    const path = join(lake.directory, `${roster!.id}.parquet`);
    const numbers = async () =>
      (await sql(`select number, person_id from '${path}' order by number`)).map(([n, id]) => [n, id !== null]);
    expect(await numbers()).toHaveLength(3);
    expect((await numbers()).filter(([, isGiven]) => !isGiven)).toHaveLength(1);
    expect(await sql(`select count(*) from '${path}' where person_id = '${idOf("b")}'`)).toEqual([["0"]]);
  });

  test("a second roster of a project is refused as a whole", async () => {
    const told = new Told(lake);
    await told.store(flushOf(["a", "b"]));
    await told.store(flushOf(["b", "c"]));
    await told.compact();
    const roster = (await live()).find(({ kind }) => kind === "roster")!;
    const id = crypto.randomUUID();
    await lake.catalog.registerPending({ ids: [id], writer: "compactor", generation: 1, epochs: [] });
    const swap = { inputs: [], outputs: [{ ...roster, id }], erasedThrough: 0, duplicatesMet: 0 };
    expect(lake.catalog.replaceSegments(swap)).rejects.toThrow("has a roster already");
    expect((await live()).filter(({ kind }) => kind === "roster").map((each) => each.id)).toEqual([roster.id]);
  });
});
