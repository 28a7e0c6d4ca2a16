import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { type Compactor, type CompactorOptions, DuplicateIndex, type Lake, openLake } from "../../src/lake/mod.ts";
import { DAY_MS, EventFlag, type EventRow } from "../../src/types/mod.ts";
import { commitOf } from "../support/commits.ts";
import { HANG_MS } from "../support/processes.ts";
import { allEvents, doorConfig, NOON, row, sql, writeEvents } from "./support.ts";
import { TestLake } from "./testLake.ts";

const KiB = 1024;
const CONFIG = { compactTargetBytes: 256 * KiB, compactFanout: 8 };

let stored: TestLake;
let compactor: Compactor;

beforeEach(async () => {
  stored = await TestLake.open();
  compactor = open();
});

afterEach(() => stored.close());

function open(changes: Partial<CompactorOptions> = {}): Compactor {
  return stored.compactor(CONFIG, changes);
}

async function compactAll(): Promise<void> {
  while (await compactor.step());
}

async function live() {
  return (await stored.catalog.segmentChanges(0)).added;
}

async function liveSegments() {
  return (await live()).filter(({ kind }) => kind === "events");
}

/** All live rows, in file order. */
async function readAll(columns: string): Promise<unknown[][]> {
  const files = (await liveSegments()).map(({ id }) => `'${join(stored.directory, id)}.parquet'`);
  return sql(`select ${columns} from read_parquet([${files.join(", ")}])`);
}

/** Flushes of `size` rows, numbered through, each over a day of its own choice. */
function flush(n: number, size: number, change: (i: number) => Partial<EventRow> = () => ({})): EventRow[] {
  return Array.from({ length: size }, (_, i) => row(n * size + i, change(n * size + i)));
}

describe("compaction", () => {
  test.each([
    ["are merged before a long job goes on", 0, 2],
    ["wait for the end of a short one", 60_000, 9],
  ])("small files that come during a job %s", async (_, longStepMs, files) => {
    const { catalog } = stored;
    for (let n = 0; n < 8; n++) await stored.store(flush(n, 40));
    let claims = 0;
    const claimJob: typeof catalog.claimJob = async (job) => {
      const id = await catalog.claimJob(job);
      if (++claims === 1) for (let n = 1_000; n < 1_008; n++) await stored.store(flush(n, 1));
      return id;
    };
    compactor = open({ longStepMs, catalog: { ...catalog, claimJob } });
    expect(await compactor.step()).toBe(true);
    expect((await liveSegments()).map(({ rowCount }) => rowCount).sort((a, b) => b - a)[0]).toBe(320);
    expect(await liveSegments()).toHaveLength(files);
    await compactAll();
    const rows = await readAll("ordinal");
    expect(new Set(rows.map(([ordinal]) => ordinal)).size).toBe(328);
    expect(rows).toHaveLength(328);
  });

  test("merges small files into one that is sorted, and keeps every value", async () => {
    const rows: EventRow[] = [];
    for (let n = 0; n < 8; n++) {
      const some = flush(n, 20, (i) => ({
        teamId: 1 + (i % 3),
        event: ["b", "a\x1f", "c"][Math.floor(i / 3) % 3]!,
        timestampMs: NOON - (i % 5) * DAY_MS - i,
        lane: i % 2 === 0 ? "live" : "history",
        properties: `{"n":1.10,"i":${i}}`,
        elementsChain: i % 4 === 0 ? `a:text="${i}"` : "",
        flags: i % 5 === 0 ? EventFlag.Personless : 0,
      }));
      rows.push(...some);
      await stored.store(some);
    }
    const before = (await readAll("*")).map((r) => JSON.stringify(r)).sort();
    await compactAll();
    const [only, ...others] = await liveSegments();
    expect(others).toEqual([]);
    const after = await readAll("*");
    expect(after.map((r) => JSON.stringify(r)).sort()).toEqual(before);
    const sorted = rows.toSorted(
      (a, b) =>
        a.teamId - b.teamId || (a.event < b.event ? -1 : a.event > b.event ? 1 : 0) || a.timestampMs - b.timestampMs,
    );
    expect(after.map((r) => r[1])).toEqual(sorted.map((r) => r.uuid));
    const ofTeam = (team: number) => rows.filter((r) => r.teamId === team);
    expect(only).toMatchObject({ level: 1, teamId: null, generation: 1, rowCount: 160, partitions: [0] });
    let rowStart = 0;
    for (const team of only!.teams) {
      const times = ofTeam(team.teamId).map((r) => r.timestampMs);
      expect(team).toEqual({
        teamId: team.teamId,
        rowStart,
        rowCount: times.length,
        minMs: Math.min(...times),
        maxMs: Math.max(...times),
      });
      rowStart += team.rowCount;
    }
  });

  test("bounds the number of files of an import in random order, and readers see every row exactly once", async () => {
    const size = 20;
    const lake = openLake({
      config: doorConfig(),
      catalog: stored.catalog,
      storage: stored.storage,
      runDirectory: stored.runDirectory,
      log: () => {},
    });
    const working = compactor.run();
    let done = false;
    const reading = readUntil(lake, size, () => done);
    let mostFiles = 0;
    for (let n = 0; n < 400; n++) {
      await stored.store(flush(n, size, (i) => ({ timestampMs: NOON + ((i * 7_919) % 1_000) * DAY_MS })));
      mostFiles = Math.max(mostFiles, compactor.stats.liveSegments);
    }
    done = true;
    expect(await reading).toBeGreaterThan(10);
    while ((await liveSegments()).length > 45) await Bun.sleep(10);
    compactor.stop();
    await working;
    expect(compactor.stats).toMatchObject({ failures: 0, equalKeys: 0 });
    expect(mostFiles).toBeLessThan(100);
    const numbers = (await readAll("ordinal")).map((r) => Number(r[0])).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 400 * size }, (_, i) => i));
    await lake.close();
  });

  test("takes events of the first days of 1970, where clocks that were never set stand", async () => {
    for (let n = 0; n < 8; n++) await stored.store([row(n, { timestampMs: n * 4 * DAY_MS - DAY_MS })]);
    await compactAll();
    expect((await liveSegments()).length).toBe(1);
    expect((await readAll("ordinal")).length).toBe(8);
  });

  test("keeps duplicates known", async () => {
    const flushes = Array.from({ length: 16 }, (_, n) =>
      flush(n, 20, (i) => ({ teamId: 1 + (i % 2), timestampMs: NOON + (i % 30) * DAY_MS })),
    );
    for (const rows of flushes) await stored.store(rows);
    const index = new DuplicateIndex({ storage: stored.storage, maxKeys: 1_000_000, filterBytes: 1 << 20 });
    const owned = { generation: 1, partitions: new Set([0]) };
    await index.sync(await liveSegments(), owned);
    const all = [...flushes.flat(), row(99_999)];
    const expected = [...flushes.flat().map(() => 1), 0];
    const pin = await stored.catalog.holdFiles(60_000);
    await compactAll();
    await compactor.collect();
    // The index has not looked at the catalog since; the pin keeps the files of its list.
    expect([...(await index.check(all))]).toEqual(expected);
    await index.sync(await liveSegments(), owned);
    await stored.catalog.unpin(pin);
    await compactor.collect();
    expect(index.keyCount).toBe(0);
    expect([...(await index.check(all))]).toEqual(expected);
    await index.close();
  });

  test("counts duplicates that should not exist, and loses no row for them", async () => {
    for (let n = 0; n < 8; n++) await stored.store(flush(n % 7, 10));
    await compactAll();
    expect(compactor.stats.equalKeys).toBe(10);
    expect((await readAll("ordinal")).length).toBe(80);
  });

  test("gives a large project files of its own, split at whole days", async () => {
    const text = crypto.randomUUID().repeat(20);
    const change = (i: number): Partial<EventRow> => ({
      teamId: i % 25 === 0 ? 2 + (i % 4) : 1,
      timestampMs: NOON + (i % 40) * DAY_MS,
      properties: `{"text":"${text}${Bun.hash(String(i)).toString(36).repeat(8)}"}`,
    });
    for (let n = 0; n < 24; n++) await stored.store(flush(n, 1_000, change));
    await compactAll();
    const segments = await liveSegments();
    const own = segments.filter((segment) => segment.teamId === 1 && segment.level > 0);
    const shared = segments.filter((segment) => segment.level > 0 && segment.teams.some((team) => team.teamId !== 1));
    for (const segment of shared) expect(segment.teams.every((team) => team.teamId !== 1)).toBe(true);
    // Files of one job do not overlap.
    const jobs = [...Map.groupBy(own, (segment) => segment.liveFrom).values()];
    expect(Math.max(...jobs.map((files) => files.length))).toBeGreaterThan(1);
    for (const files of jobs) {
      const days = files.map(({ minMs, maxMs }) => [Math.floor(minMs / DAY_MS), Math.floor(maxMs / DAY_MS)] as const);
      days.sort((a, b) => a[0] - b[0]);
      for (let i = 1; i < days.length; i++) expect(days[i - 1]![1]).toBeLessThan(days[i]![0]);
    }
    expect(segments.reduce((sum, segment) => sum + segment.rowCount, 0)).toBe(24_000);
  });

  test("joins generations by leaving partitions out", async () => {
    for (let n = 0; n < 8; n++) {
      const id = crypto.randomUUID();
      const [claim] = await stored.catalog.claim({ owner: "test", generation: 1, partitions: [0] });
      const generation = 1 + (n % 2);
      await stored.catalog.registerPending({ ids: [id], writer: "test", generation, epochs: [claim!.epoch] });
      const { facts } = await writeEvents(stored.writer, id, flush(n, 5), {
        origin: { generation, level: 0, partitions: [0] },
      });
      await stored.catalog.commit(commitOf({ id, generation, epochs: [claim!.epoch], segments: [facts!] }));
    }
    await compactAll();
    expect(await liveSegments()).toMatchObject([{ generation: 0, partitions: [], rowCount: 40 }]);
  });
});

/** Asks until told to stop; every answer must be a whole number of flushes, each row once. */
async function readUntil(lake: Lake, size: number, isDone: () => boolean): Promise<number> {
  let answers = 0;
  for (let last = 0; !isDone(); answers++) {
    const outcome = await lake.query({
      teamId: 1,
      range: { fromMs: null, toMs: null },
      sql: (relations) => ({
        text: `select count(*), count(distinct ordinal), coalesce(max(ordinal), -1) + 1 from ${allEvents(relations)}`,
        params: [],
      }),
      deadlineMs: HANG_MS,
      maxRows: 10,
    });
    const [[rows, distinct, highest]] = JSON.parse(outcome.rowsJson);
    expect(rows % size).toBe(0);
    expect([distinct, highest]).toEqual([rows, rows]);
    expect(rows).toBeGreaterThanOrEqual(last);
    last = rows;
  }
  return answers;
}

describe("the folder", () => {
  test("keeps replaced files while a reader needs them, and then removes them", async () => {
    for (let n = 0; n < 8; n++) await stored.store(flush(n, 5));
    const old = (await liveSegments()).map(({ id }) => id);
    const pinId = await stored.catalog.holdFiles(60_000);
    await compactAll();
    await compactor.collect();
    for (const id of old) expect(existsSync(join(stored.directory, `${id}.parquet`))).toBe(true);
    await stored.catalog.unpin(pinId);
    await compactor.collect();
    const [only] = await liveSegments();
    const roster = (await live()).find(({ kind }) => kind === "roster");
    const ofEvents = ["activity.parquet", "journey", "keys", "parquet", "persons.parquet"].map(
      (suffix) => `${only!.id}.${suffix}`,
    );
    expect(segmentFiles()).toEqual([...ofEvents, `${roster!.id}.parquet`].sort());
    expect(compactor.stats.collected).toBe(8);
  });

  test("loses what a compactor left that died before its swap", async () => {
    for (let n = 0; n < 8; n++) await stored.store(flush(n, 5));
    // Its swap never happens.
    const dying = open({
      holder: "dying",
      catalog: {
        ...stored.catalog,
        replaceSegments: () => Promise.reject(new Error("killed here")),
        abandon: () => Promise.resolve(),
        endJob: () => Promise.resolve(),
      },
    });
    await expect(dying.step()).rejects.toThrow("killed here");
    expect(segmentFiles().length).toBe(17);
    await compactor.collect();
    // The claim still stands: the files could yet become live.
    expect(segmentFiles().length).toBe(17);
    expect(await compactor.step()).toBe(false);
    await stored.endClaims();
    await compactor.collect();
    expect(segmentFiles().length).toBe(16);
    await stored.db.write((tx) => tx`delete from leases`);
    await compactAll();
    expect((await readAll("ordinal")).length).toBe(40);
  });

  test("gives outputs up when an input was taken meanwhile", async () => {
    for (let n = 0; n < 8; n++) await stored.store(flush(n, 5));
    const slow = open({
      holder: "slow",
      catalog: {
        ...stored.catalog,
        replaceSegments: async (swap) => {
          // Another compactor was faster.
          await stored.endClaims();
          await stored.db.write((tx) => tx`delete from leases`);
          await compactAll();
          await stored.catalog.replaceSegments(swap);
        },
      },
    });
    await expect(slow.step()).rejects.toMatchObject({ code: "compaction_conflict", retryable: true });
    await compactor.collect();
    expect(segmentFiles().length).toBe(6);
    expect((await readAll("ordinal")).length).toBe(40);
  });

  test("is swept of old files that nobody knows", async () => {
    const { id } = await stored.store(flush(0, 5));
    const old = [
      "stray.parquet",
      "stray.keys",
      "stray.journey",
      "stray.persons.parquet",
      "half.parquet.tmp",
      "half.raw",
    ];
    const hourAgo = Date.now() / 1000 - 3_700;
    for (const name of [...old, "young.parquet", "README"]) await Bun.write(join(stored.directory, name), "x");
    for (const name of [...old, `${id}.parquet`, `${id}.keys`])
      utimesSync(join(stored.directory, name), hourAgo, hourAgo);
    const working = compactor.run();
    while (existsSync(join(stored.directory, "half.raw")) || existsSync(join(stored.directory, "stray.keys"))) {
      await Bun.sleep(5);
    }
    compactor.stop();
    await working;
    expect(segmentFiles()).toEqual(["README", `${id}.keys`, `${id}.parquet`, "young.parquet"].sort());
  });
});

function segmentFiles(): string[] {
  return readdirSync(stored.directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}
