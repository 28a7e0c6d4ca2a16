import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ColumnGiver } from "../../src/lake/compaction/columnGiver.ts";
import { IoBudget } from "../../src/lake/compaction/schedule.ts";
import { StoppableEngine } from "../../src/lake/engine/stoppableEngine.ts";
import { type Compactor, openLake } from "../../src/lake/mod.ts";
import { KeyUses } from "../../src/lake/querying/keyUses.ts";
import { DAY_MS, dayOf } from "../../src/types/mod.ts";
import { HANG_MS } from "../support/processes.ts";
import { doorConfig, NOON, row, textConstant } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1024 * 1024;
const TEAM = 1;

let lake: TestLake;
let n = 0;
beforeEach(async () => {
  lake = await TestLake.open();
});
afterEach(() => lake.close());

async function compactor(bytesPerMinute = 0): Promise<Compactor> {
  const made = lake.compactor({ compactFanout: 100, backfillBytesPerMinute: bytesPerMinute });
  return made;
}

/** A file of one day whose events all have `common`, and few of them `rare`. */
async function store(day: number, teamId = TEAM): Promise<string> {
  const rows = Array.from({ length: 200 }, (_, i) => {
    n++;
    const rare = i < 4 ? `,"rare":"r${n}","amount":${i}.5,"list":[1]` : "";
    return row(n, { teamId, timestampMs: NOON + day * DAY_MS, properties: `{"common":"${i}"${rare}}` });
  });
  return (await lake.store(rows)).id;
}

const keys = async (teamId = TEAM) => (await lake.catalog.readLayout(teamId)).map(({ key }) => key);

async function columnsByDay(): Promise<[number, number][]> {
  const { added } = await lake.catalog.segmentChanges(0);
  const events = added.filter(({ kind }) => kind === "events");
  return events.map((s): [number, number] => [dayOf(s.minMs) - dayOf(NOON), s.columns]).toSorted((a, b) => a[0] - b[0]);
}

const rareValues = () =>
  lake.ask(TEAM, (relations) => {
    const events = relations.events({ persons: false, properties: false, keys: [["rare"], ["amount"]] }, textConstant);
    return `select k0, n1 from ${events} where k0 is not null order by ordinal`;
  });

describe("keys that are wanted", () => {
  test("get columns: pinned ones with their type, used ones with that of their values, whatever their share", async () => {
    await store(0);
    await lake.catalog.pinKey({ teamId: TEAM, key: "rare", type: "VARCHAR" });
    await lake.catalog.pinKey({ teamId: TEAM, key: "missing", type: null });
    await lake.catalog.noteKeyUses(["amount", "list", "rare"].map((key) => ({ teamId: TEAM, key })));
    await (await compactor()).step();
    expect(await lake.catalog.readLayout(TEAM)).toEqual([
      { id: 0, key: "rare", type: "VARCHAR" },
      { id: 1, key: "amount", type: "DOUBLE" },
    ]);
    const wanted = (await lake.catalog.wantedColumns()).map(({ key }) => key);
    expect(wanted).toEqual(["missing", "list"]);
    expect(await lake.catalog.unpinKey({ teamId: TEAM, key: "missing" })).toBe(true);
    expect(await lake.catalog.unpinKey({ teamId: TEAM, key: "missing" })).toBe(false);
    expect((await lake.catalog.wantedColumns()).map(({ key }) => key)).toEqual(["list"]);
  });

  test("find room in a layout that is full of frequent keys, and no more than there is", async () => {
    const many = (count: number, name: string) =>
      Array.from({ length: count }, (_, i) => ({ key: `${name}${i}`, type: "VARCHAR" as const }));
    expect(await lake.catalog.growLayout(TEAM, many(200, "by-share-"))).toHaveLength(80);
    for (const { key, type } of many(30, "pinned-")) await lake.catalog.pinKey({ teamId: TEAM, key, type });
    await (await compactor()).step();
    expect(await keys()).toHaveLength(100);
    expect((await keys()).filter((key) => key.startsWith("pinned-"))).toHaveLength(20);
    expect(await lake.catalog.wantedColumns()).toEqual([]);
  });

  describe("that stand in old rows only", () => {
    /** Files of a hundred rows, the oldest first; only the first rows of it have the keys. */
    async function storeOld(files: number): Promise<void> {
      for (let day = 0; day < files; day++) {
        const rows = Array.from({ length: 100 }, (_, i) => {
          const properties = day === 0 && i < 3 ? `{"a":1,"old":${i},"":"x","x/y~":true}` : `{"a":${i}}`;
          return row(++n, { timestampMs: NOON + day * DAY_MS + i, properties });
        });
        await lake.store(rows);
      }
    }

    function giver(piece: { rows: number; files: number }, engine: StoppableEngine) {
      const { storage, catalog } = lake;
      const made = new ColumnGiver({ storage, catalog, holder: "compactor", log: () => {}, piece, engine });
      let nowMs = Date.now();
      return async () => {
        nowMs += 60_000;
        const { added } = await lake.catalog.segmentChanges(0);
        await made.look(added, nowMs);
      };
    }

    test("get columns by and by: each look reads a piece", async () => {
      await storeOld(12);
      for (const key of ["old", "", "x/y~", "missing"]) await lake.catalog.pinKey({ teamId: TEAM, key, type: null });
      const engine = openEngine();
      const look = giver({ rows: 150, files: 64 }, engine);
      const found: string[][] = [];
      for (let i = 0; i < 8; i++) {
        await look();
        found.push(await keys());
        // What comes in meanwhile does not hold it up.
        await lake.store(Array.from({ length: 150 }, () => row(++n, { timestampMs: NOON + (20 + i) * DAY_MS })));
      }
      expect(found.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => []));
      expect(await lake.catalog.readLayout(TEAM)).toEqual([
        { id: 0, key: "", type: "VARCHAR" },
        { id: 1, key: "old", type: "BIGINT" },
        { id: 2, key: "x/y~", type: "BOOLEAN" },
      ]);
      await engine.close();
    });

    test("are found behind a hundred keys that have no such values, and in spite of a file that cannot be read", async () => {
      await storeOld(3);
      const used = Array.from({ length: 150 }, (_, i) => ({ teamId: TEAM, key: `list${String(i).padStart(3, "0")}` }));
      await lake.catalog.noteKeyUses([...used, { teamId: TEAM, key: "old" }]);
      const [newest] = (await lake.catalog.segmentChanges(0)).added.toSorted((a, b) => b.maxMs - a.maxMs);
      writeFileSync(join(lake.directory, `${newest!.id}.parquet`), "x");
      const engine = openEngine();
      const look = giver({ rows: 1_000, files: 64 }, engine);
      await look();
      expect(await keys()).toEqual([]);
      await look();
      expect(await keys()).toEqual(["old"]);
      await engine.close();
    });

    const openEngine = () =>
      new StoppableEngine({
        threads: 1,
        memoryLimitBytes: 256 * MiB,
        tempDirectory: join(lake.directory, "spill/test"),
        tempLimitBytes: MiB,
      });
  });

  test("are those of the last 30 days, and at most a thousand of a project", async () => {
    await lake.catalog.noteKeyUses([{ teamId: TEAM, key: "old" }]);
    await lake.db.write((tx) => tx`update property_uses set used_day = used_day - 31`);
    expect(await lake.catalog.wantedColumns()).toEqual([]);
    await lake.catalog.noteKeyUses(Array.from({ length: 1_200 }, (_, i) => ({ teamId: TEAM, key: `k${i}` })));
    expect(await lake.catalog.wantedColumns()).toHaveLength(1_000);
  });
});

describe("back-fill", () => {
  test("rewrites files that lack columns, newest first, and reads the same on the way", async () => {
    for (const day of [0, 2, 1]) await store(day);
    const before = await rareValues();
    expect(before).toHaveLength(12);
    await lake.catalog.pinKey({ teamId: TEAM, key: "rare", type: null });
    const filling = await compactor(2 ** 40);
    for (const filled of [[2], [1, 2], [0, 1, 2]]) {
      expect(await filling.step()).toBe(true);
      const layout = (await keys()).length;
      expect(await columnsByDay()).toEqual([0, 1, 2].map((day) => [day, filled.includes(day) ? layout : 0]));
      expect(await rareValues()).toEqual(before);
    }
    expect(await filling.step()).toBe(false);
  });

  test("keeps to its budget, leaves fresh and shared files alone, and can be switched off", async () => {
    await store(0);
    await store(1);
    await lake.catalog.growLayout(TEAM, [{ key: "rare", type: "VARCHAR" }]);
    expect(await (await compactor(0)).step()).toBe(false);
    expect(await lake.catalog.dueForBackfill(60_000)).toBeNull();
    const slow = await compactor(1);
    expect(await slow.step()).toBe(true);
    expect(await slow.step()).toBe(false);
    expect((await columnsByDay()).map(([, columns]) => columns > 0)).toEqual([false, true]);
    const mixed = [1, 2].map((teamId) => row(++n, { teamId, timestampMs: NOON + 9 * DAY_MS }));
    await lake.store(mixed);
    const due = await lake.catalog.dueForBackfill(0);
    expect((await lake.catalog.segmentChanges(0)).added.find(({ id }) => id === due)?.teamId).toBe(TEAM);
  });

  test("the budget is an average", () => {
    const budget = new IoBudget(1_000);
    expect(budget.isFree(0)).toBe(true);
    budget.spend(3_000, 0);
    expect([1, 179_999, 180_000].map((ms) => budget.isFree(ms))).toEqual([false, false, true]);
    budget.spend(500, 200_000);
    expect([229_999, 230_000].map((ms) => budget.isFree(ms))).toEqual([false, true]);
    expect(new IoBudget(0).isFree(10 ** 9)).toBe(false);
  });
});

describe("what queries read", () => {
  test("is told by the door when it closes, without what cannot be a column", async () => {
    await store(0);
    const door = openLake({
      config: doorConfig(),
      catalog: lake.catalog,
      storage: lake.storage,
      runDirectory: lake.runDirectory,
      log: () => {},
    });
    await door.query({
      teamId: TEAM,
      range: { fromMs: null, toMs: null },
      sql: (relations) => {
        const params: string[] = [];
        const parameter = (text: string) => `$${params.push(text)}::VARCHAR`;
        const asked = [["rare"], ["list", 1], ["x".repeat(201)]] as const;
        const events = relations.events({ persons: false, properties: false, keys: asked }, parameter);
        return { text: `select count(k0), count(k1), count(k2) from ${events}`, params };
      },
      deadlineMs: HANG_MS,
      maxRows: 1,
    });
    await door.close();
    expect((await lake.catalog.wantedColumns()).map(({ key }) => key)).toEqual(["list", "rare"]);
  });

  test("is written once a day, and again when that failed", async () => {
    const told: string[][] = [];
    let nowMs = NOON;
    let fails = true;
    const uses = new KeyUses({
      catalog: {
        noteKeyUses: async (noted) => {
          if (fails) throw new Error("away");
          told.push(noted.map(({ teamId, key }) => `${teamId}/${key}`));
        },
      },
      now: () => nowMs,
      log: () => {},
    });
    const note = async (...keys: string[]) => {
      uses.note(1, keys);
      await uses.write();
    };
    await note("a");
    fails = false;
    await note("a", "b");
    await note("b", "c");
    await note("a");
    nowMs += DAY_MS;
    await note("a");
    await uses.close();
    expect(told).toEqual([["1/a", "1/b"], ["1/c"], ["1/a"]]);
  });
});
