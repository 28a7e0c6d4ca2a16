import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { LiveSegment } from "../../src/lake/mod.ts";
import { FlushLayouts } from "../../src/lake/writing/flushLayouts.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { allEvents, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1024 * 1024;
const WIDE_BYTES = 900_000;
/** So small that a few dozen such rows do not fit, as 1,400 do not fit into a GiB. */
const MEMORY_BYTES = 128 * MiB;
const FANOUT = 8;
const CONFIG = { compactTargetBytes: 128 * MiB, compactFanout: FANOUT, compactMemoryBytes: MEMORY_BYTES };
/** Any job may hold this much of their text: it needs eight times as much. */
const JOB_WIDE_BYTES = MEMORY_BYTES / 8;

let lake: TestLake;
let told: string[];
let n = 0;

beforeEach(async () => {
  lake = await TestLake.open();
  told = [];
});
afterEach(() => lake.close());

/** JSON of 900 KB that is next to nothing when compressed. */
const properties = () => JSON.stringify({ n, text: "lorem ipsum ".repeat(WIDE_BYTES / 12) });
const wide = () => row(++n, { event: "wide", properties: properties() });
const narrow = () => row(++n, { teamId: 2 });

async function live(): Promise<LiveSegment[]> {
  return (await lake.catalog.segmentChanges(0)).added;
}

const filesOf = async (teamId: number) =>
  (await live()).filter(({ kind, teams }) => kind === "events" && teams.some((team) => team.teamId === teamId));

async function open() {
  const compactor = lake.compactor(CONFIG, { log: (message) => told.push(message) });
  return compactor;
}

/** Works until there is nothing to do; gives how many jobs failed. */
async function compactAll(): Promise<number> {
  const compactor = await open();
  while (await compactor.step()) await compactor.collect();
  await compactor.collect();
  return compactor.stats.failures;
}

async function checkWhole(events: number): Promise<void> {
  const text = (rows: string) => `select count(*)::int, count(distinct uuid)::int, min(strlen(properties))::int,
      max(strlen(properties))::int from ${rows} where event = 'wide'`;
  const [[count, uuids, least, most] = []] = await lake.ask(1, (relations) => text(allEvents(relations)));
  expect([count, uuids]).toEqual([events, events]);
  expect(least).toBeGreaterThan(WIDE_BYTES);
  expect(most).toBeLessThan(WIDE_BYTES + 100);
}

describe("events of 900 KB", () => {
  test("are merged as far as memory goes, and those of another project as ever", async () => {
    for (let i = 0; i < 40; i++) {
      await lake.store([wide()]);
      if (i % 4 === 0) await lake.store([narrow()]);
    }
    expect(await compactAll()).toBe(0);
    expect(await lake.catalog.quarantined()).toEqual([]);
    const files = await live();
    for (const { wideBytes } of files) expect(wideBytes).toBeLessThanOrEqual(JOB_WIDE_BYTES);
    expect(files.reduce((sum, { wideBytes }) => sum + wideBytes, 0)).toBeGreaterThan(40 * WIDE_BYTES);
    expect((await filesOf(1)).length).toBeLessThan(40 / 2);
    expect((await filesOf(2)).length).toBeLessThan(FANOUT);
    await checkWhole(40);
  });

  test("of one large flush come into several files, in their order", async () => {
    const layouts = new FlushLayouts(lake.catalog, Date.now);
    const rows = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? wide() : row(++n)));
    const parts = await layouts.partsOf(rows);
    expect(parts.flatMap((part) => part.rows)).toEqual(rows);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect((await lake.store([...part.rows])).wideBytes).toBeLessThanOrEqual(16 * MiB);
    expect(await layouts.partsOf(Array.from({ length: 500 }, narrow))).toHaveLength(1);
  });

  test("are told apart from others by all of their text, in bytes", async () => {
    const [euro, plain] = ["€".repeat(20_000), "x".repeat(12_000)];
    expect((await lake.store([row(++n, { elementsChain: euro })])).wideBytes).toBeGreaterThan(60_000);
    expect((await lake.store([row(++n, { event: euro })])).wideBytes).toBeGreaterThan(60_000);
    expect((await lake.store([row(++n, { properties: JSON.stringify({ plain }) })])).wideBytes).toBe(0);
  });

  test("in files that were written before this was known are set aside, and come back in smaller jobs", async () => {
    for (let i = 0; i < 40; i++) await lake.store([wide()]);
    await lake.db.write((tx) => tx`update segments set wide_bytes = 0`);
    const before = (await filesOf(1)).map(({ id }) => id);
    expect(await compactAll()).toBeGreaterThan(0);
    const aside = await lake.catalog.quarantined();
    expect(aside.length).toBeGreaterThan(FANOUT);
    for (let i = 0; i < FANOUT; i++) await lake.store([narrow()]);
    await compactAll();
    expect(await filesOf(2)).toMatchObject([{ level: 1, rowCount: FANOUT }]);
    expect(told).toContainEqual(expect.stringMatching(/failed: Out of Memory Error.*; in quarantine for 60 s$/));
    for (let i = 0; i < 4; i++) {
      await lake.db.write((tx) => tx`update leases set expires_at_ms = 0`);
      await compactAll();
    }
    const left = (await filesOf(1)).filter(({ id }) => before.includes(id));
    expect(left.length).toBeLessThan(before.length / 2);
    await checkWhole(40);
  });
});

test("what is said of persons in values of 900 KB is merged as far as memory goes", async () => {
  for (let i = 0; i < 40; i++) {
    const distinctId = `user-${++n}`;
    const subject = { type: "person", distinctId, personId: personIdOf(1, distinctId) } as const;
    const version = { tMs: n, source: 2, ordinal: n } as const;
    const said = { kind: "property", teamId: 1, subject, op: "set", key: "bio", value: properties(), version } as const;
    await lake.flush([], [said]);
  }
  expect(await compactAll()).toBe(0);
  const files = await live();
  for (const { wideBytes } of files) expect(wideBytes).toBeLessThanOrEqual(JOB_WIDE_BYTES);
  expect(files.length).toBeLessThan(40 / 2);
  const persons = files.reduce((sum, { rowCount }) => sum + rowCount, 0);
  expect(persons).toBe(40);
});
