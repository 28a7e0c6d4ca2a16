import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { type Catalog, type Compactor, type LiveSegment, LocalStore, verifyFiles } from "../../src/lake/mod.ts";
import { DAY_MS } from "../../src/types/mod.ts";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { allEvents, NOON, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const SIZES = { compactTargetBytes: 64 * 1024, compactFanout: 2 };
const CONFIG = { ...SIZES, squashMs: 0, eraseMs: 0, backfillBytesPerMinute: 2 ** 40 };

describe.each(findPostgres() === null ? ["sqlite"] : ["sqlite", "postgres"])("several compactors on %s", (kind) => {
  let server: PostgresServer | null = null;
  let lake: TestLake;
  let n: number;
  /** What the compactors have logged. */
  let said: string[];

  beforeAll(async () => {
    if (kind === "postgres") server = await startPostgres();
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    n = 0;
    said = [];
    lake = await TestLake.open((directory) => new LocalStore(directory), (await server?.createDatabase()) ?? null);
  });
  afterEach(() => lake.close());

  /** Without a pause no flush is waited for. */
  const compactor = (holder: string, parts: Partial<Catalog> = {}, compactMs = 0): Compactor =>
    lake.compactor(
      { ...CONFIG, compactMs },
      { holder, catalog: { ...lake.catalog, ...parts }, log: (message) => said.push(message) },
    );

  async function store(teamId: number, rows: number): Promise<void> {
    const day = () => NOON + (n % 3) * DAY_MS;
    await lake.store(Array.from({ length: rows }, () => row(n++, { teamId, timestampMs: day() })));
  }

  async function live(): Promise<LiveSegment[]> {
    return (await lake.catalog.segmentChanges(0)).added;
  }

  /** What was stored is there once, and all files are what the catalog says of them. */
  async function expectWhole(): Promise<void> {
    const teams = [...new Set((await live()).flatMap(({ teams }) => teams.map(({ teamId }) => teamId)))];
    const found: number[] = [];
    for (const teamId of teams) {
      const rows = await lake.ask(teamId, (r) => `select ordinal::integer from ${allEvents(r)}`);
      found.push(...rows.map(([ordinal]) => Number(ordinal)));
    }
    expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
    const { catalog, storage } = lake;
    const { problems } = await verifyFiles({ catalog, storage, memoryLimitBytes: 512 << 20 });
    expect(problems).toEqual([]);
  }

  /** A compactor that stands still at the swap of its events, or before it writes anything; `goOn` lets it. */
  function slow(holder: string, call: "registerPending" | "replaceSegments" = "replaceSegments") {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const made = compactor(holder, {
      [call]: async (o: Parameters<Catalog["replaceSegments"]>[0]) => {
        if (call === "registerPending" || o.outputs.some(({ kind }) => kind === "events")) {
          reached.resolve();
          await gate.promise;
        }
        return lake.catalog[call](o as never);
      },
    });
    return { compactor: made, reached: reached.promise, goOn: gate.resolve };
  }

  test("do different jobs at once, each of them once", async () => {
    for (let i = 0; i < 4; i++) for (const teamId of [1, 2]) await store(teamId, 200);
    const [a, b] = [slow("a"), slow("b")];
    const third = compactor("c");
    const working = [a.compactor.step()];
    await a.reached;
    // What came in after that is for others.
    for (let i = 0; i < 2; i++) await store(1, 200);
    working.push(b.compactor.step());
    await b.reached;
    const jobs = await lake.catalog.runningJobs();
    expect(jobs.map(({ holder }) => holder).sort()).toEqual(["a", "b"]);
    const inputs = jobs.flatMap((job) => job.inputs);
    expect(new Set(inputs).size).toBe(inputs.length);
    while (await third.step()) await third.collect();
    expect((await lake.catalog.runningJobs()).map(({ holder }) => holder).sort()).toEqual(["a", "b"]);
    a.goOn();
    b.goOn();
    expect(await Promise.all(working)).toEqual([true, true]);
    expect(await lake.catalog.runningJobs()).toEqual([]);
    await expectWhole();
  });

  test("share an import, and no job is done in vain", async () => {
    const swaps = { tried: 0, done: 0 };
    const counted: Partial<Catalog> = {
      replaceSegments: async (swap) => {
        swaps.tried++;
        await lake.catalog.replaceSegments(swap);
        swaps.done++;
      },
    };
    const all = ["a", "b", "c"].map((holder) => compactor(holder, counted, 5));
    const working = all.map((each) => each.run());
    for (let i = 0; i < 16; i++) await store(1 + (i % 2), 100);
    const isMerged = async () =>
      (await live()).filter(({ level, kind }) => level === 0 && kind === "events").length < 2;
    while (!(await isMerged()) || (await lake.catalog.runningJobs()).length > 0) await Bun.sleep(20);
    for (const each of all) each.stop();
    await Promise.all(working);
    expect(said.filter((message) => !message.startsWith("compacted "))).toEqual([]);
    expect(all.map(({ stats }) => stats.failures)).toEqual([0, 0, 0]);
    expect(all.map(({ stats }) => stats.equalKeys)).toEqual([0, 0, 0]);
    expect(swaps.tried).toBe(swaps.done);
    await expectWhole();
  });

  test("give columns to different keys of one project at once", async () => {
    const keys = Array.from({ length: 12 }, (_, i) => `key ${i}`);
    await Promise.all(keys.map((key) => lake.catalog.growLayout(1, [{ key, type: "VARCHAR" }])));
    const layout = await lake.catalog.readLayout(1);
    expect(layout.map(({ id }) => id)).toEqual(keys.map((_, i) => i));
    expect(layout.map(({ key }) => key).sort()).toEqual(keys.toSorted());
  });

  test("number the persons of one project, while each works on files of its own", async () => {
    for (let i = 0; i < 2; i++) await store(1, 2_000);
    const first = slow("a");
    const second = compactor("b");
    // Persons that no other file has.
    const others = () => Array.from({ length: 2_000 }, () => row(n, { ordinal: n++, personId: row(n % 40).personId }));
    const working = first.compactor.step();
    await first.reached;
    for (let i = 0; i < 2; i++) await lake.store(others());
    // It replaces the roster that the first one has made.
    expect(await second.step()).toBe(true);
    first.goOn();
    expect(await working).toBe(true);
    while (await second.step()) await second.collect();
    const files = await live();
    expect(files.filter(({ kind }) => kind === "roster")).toHaveLength(1);
    expect(files.some(({ isNumbered }) => isNumbered)).toBe(true);
    await expectWhole();
  });

  test.each(["registerPending", "replaceSegments"] as const)("one that stood still at %s is fenced", async (call) => {
    for (let i = 0; i < 2; i++) await store(1, 50);
    const stalled = slow("stalled", call);
    const other = compactor("other");
    const working = stalled.compactor.step();
    await stalled.reached;
    expect(await other.step()).toBe(false);
    await lake.endClaims();
    // Its files may be what it stands still for: they rest for a while.
    expect(await lake.catalog.quarantined()).toHaveLength(2);
    await lake.db.write((tx) => tx`delete from leases`);
    expect(await other.step()).toBe(true);
    const merged = (await live()).map(({ id }) => id).sort();
    stalled.goOn();
    await expect(working).rejects.toMatchObject({ code: "compaction_conflict", retryable: true });
    expect((await live()).map(({ id }) => id).sort()).toEqual(merged);
    await other.collect();
    expect(filesOfSegments(lake.directory).sort()).toEqual(merged);
    await expectWhole();
  });

  test("one keeps house", async () => {
    const [a, b] = [compactor("a"), compactor("b")];
    expect([await a.keepsHouse(), await b.keepsHouse(), await a.keepsHouse()]).toEqual([true, false, true]);
    await lake.catalog.releaseLease("compactor", "a");
    expect([await b.keepsHouse(), await a.keepsHouse()]).toEqual([true, false]);
  });
});

/** Ids of the segments that have files. */
function filesOfSegments(directory: string): string[] {
  const names = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile());
  return [...new Set(names.map(({ name }) => name.split(".")[0]!))];
}
