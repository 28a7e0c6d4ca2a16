import { describe, expect, spyOn, test } from "bun:test";
import { makeRuns } from "../../src/export/schedule/schedule.ts";
import {
  addBackfill,
  type BatchExport,
  type BatchExportRun,
  blankBatchExport,
  cancelRun,
  claimRun,
  createBatchExport,
  endBackfill,
  endRun,
  findBackfill,
  hasDueRun,
  insertEnvironment,
  listRuns,
  lookAtRun,
  noteRun,
  openRuns,
  releaseRun,
  renewRun,
  updateBatchExport,
} from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { untilWaiting, useStores } from "../support/stores.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START = Date.UTC(2026, 0, 10, 12);
const ALL = { limit: 1_000, offset: 0 };

const TEAM = 100;

/** A store with an environment, and what the tests ask of it. */
class Scene {
  constructor(readonly db: Db) {}

  newExport(wish: Partial<BatchExport> = {}): Promise<BatchExport> {
    return makeExport(this.db, wish);
  }

  /** By the hour, from a day before `START`, of an export that is paused. */
  async newBackfill({ uptoMs, totalRuns }: { uptoMs: number; totalRuns: number }) {
    const { id: exportId } = await this.newExport({ paused: true });
    const startAtMs = START - 24 * HOUR_MS;
    const range = { startAtMs, nextFromMs: startAtMs, endAtMs: uptoMs, uptoMs };
    const own = { id: crypto.randomUUID(), exportId, teamId: TEAM, createdAtMs: START };
    await this.db.write((tx) => addBackfill(tx, { ...own, ...range, isWhole: false, totalRuns }));
    return own;
  }

  /** Of an export, in order of their ends. */
  async runsOf(exportId: string): Promise<BatchExportRun[]> {
    const { items } = await this.db.read((tx) => listRuns(tx, { exportId }, ALL));
    return items.toSorted((a, b) => a.toMs - b.toMs);
  }
}

describe.each(useStores())("on $name", ({ withStore }) => {
  const inScene = (body: (scene: Scene) => Promise<void>) => () =>
    withStore(async (db) => {
      const environment = { id: TEAM, projectId: 1, apiToken: "token", name: "test", nowMs: 0 };
      await db.write((tx) => insertEnvironment(tx, environment));
      await body(new Scene(db));
    });

  test(
    "each interval that is over gets one run, whoever looks and however late",
    inScene(async (scene) => {
      const { db } = scene;
      const { id } = await scene.newExport();
      await makeRuns(db, START + 59 * MINUTE_MS);
      expect(await scene.runsOf(id)).toEqual([]);
      await Promise.all([1, 2, 3].map(() => makeRuns(db, START + HOUR_MS)));
      expect(await scene.runsOf(id)).toMatchObject([
        { fromMs: START, toMs: START + HOUR_MS, status: "Starting", backfillId: null },
      ]);
      // Nobody has looked for a while.
      await makeRuns(db, START + 10.5 * HOUR_MS);
      const runs = await scene.runsOf(id);
      expect(runs).toHaveLength(10);
      for (const [i, run] of runs.entries())
        expect([run.fromMs, run.toMs]).toEqual([START + i * HOUR_MS, START + (i + 1) * HOUR_MS]);
    }),
  );

  test(
    "a changed interval goes on where the last one ended",
    inScene(async (scene) => {
      const { db } = scene;
      const item = await scene.newExport({ interval: "every 15 minutes" });
      await makeRuns(db, START + 35 * MINUTE_MS);
      await db.write((tx) => updateBatchExport(tx, { ...item, interval: "hour" }));
      await makeRuns(db, START + 2 * HOUR_MS);
      expect(
        (await scene.runsOf(item.id)).map(({ fromMs, toMs }) => [
          (fromMs! - START) / MINUTE_MS,
          (toMs - START) / MINUTE_MS,
        ]),
      ).toEqual([
        [0, 15],
        [15, 30],
        [30, 60],
        [60, 120],
      ]);
    }),
  );

  test(
    "nothing is made for what is paused, deleted or over",
    inScene(async (scene) => {
      const { db } = scene;
      const { id: paused } = await scene.newExport({ paused: true });
      const { id: deleted } = await scene.newExport({ deleted: true });
      const { id: over } = await scene.newExport({ endAtMs: START + HOUR_MS });
      await makeRuns(db, START + 5 * HOUR_MS);
      expect(await scene.runsOf(paused)).toEqual([]);
      expect(await scene.runsOf(deleted)).toEqual([]);
      expect(await scene.runsOf(over)).toHaveLength(1);
    }),
  );

  test(
    "a backfill makes its runs a few at a time, and ends with the last of them",
    inScene(async (scene) => {
      const { db } = scene;
      const { id, exportId } = await scene.newBackfill({ uptoMs: START + 30 * MINUTE_MS, totalRuns: 25 });
      for (let looks = 0; looks < 4; looks++) {
        await makeRuns(db, START + HOUR_MS);
        const open = await db.read((tx) => openRuns(tx, { exportId, backfillId: id }));
        expect(open.length).toBeLessThanOrEqual(10);
        for (let i = 0; i < open.length; i++) {
          const run = await db.write((tx) => claimRun(tx, { holder: "a", nowMs: START + HOUR_MS, ttlMs: 1_000 }));
          await db.write((tx) => endRun(tx, run!, { status: "Completed" }, START + HOUR_MS));
        }
      }
      await makeRuns(db, START + HOUR_MS);
      const runs = await scene.runsOf(exportId);
      expect(runs).toHaveLength(25);
      expect(runs.at(-1)).toMatchObject({ fromMs: START, toMs: START + 30 * MINUTE_MS });
      expect(await db.read((tx) => findBackfill(tx, exportId, id))).toMatchObject({
        status: "Completed",
        hasMore: false,
      });
    }),
  );

  test(
    "a backfill that is cancelled at the same moment gets no more runs",
    inScene(async (scene) => {
      const { db } = scene;
      const backfill = await scene.newBackfill({ uptoMs: START, totalRuns: 24 });
      const { look } = await db.write(async (tx) => {
        await endBackfill(tx, backfill.id, "Cancelled", START);
        expect(await openRuns(tx, { exportId: backfill.exportId, backfillId: backfill.id })).toEqual([]);
        const look = makeRuns(db, START);
        await untilWaiting(db);
        return { look };
      });
      await look;
      expect(await scene.runsOf(backfill.exportId)).toEqual([]);
    }),
  );

  test(
    "a look that finds nothing to do writes nothing",
    inScene(async (scene) => {
      const { db } = scene;
      const { exportId } = await scene.newBackfill({ uptoMs: START, totalRuns: 24 });
      await makeRuns(db, START);
      expect(await scene.runsOf(exportId)).toHaveLength(10);
      expect(await db.read((tx) => hasDueRun(tx, START - 1))).toBe(false);
      const writes = spyOn(db, "write");
      // Its runs wait or run: there is room for no more of them.
      for (let looks = 0; looks < 3; looks++) await makeRuns(db, START + looks);
      expect(writes).toHaveBeenCalledTimes(0);
      writes.mockRestore();
      expect(await db.read((tx) => hasDueRun(tx, START))).toBe(true);
      for (let i = 0; i < 10; i++) await db.write((tx) => claimRun(tx, { holder: "a", nowMs: START, ttlMs: 1_000 }));
      expect(await db.read((tx) => hasDueRun(tx, START + 999))).toBe(false);
      expect(await db.read((tx) => hasDueRun(tx, START + 1_000))).toBe(true);
    }),
  );

  test(
    "a run belongs to one exporter at a time, and an old one cannot write its end",
    inScene(async (scene) => {
      const { db } = scene;
      const { id } = await scene.newExport();
      await makeRuns(db, START + HOUR_MS);
      const nowMs = START + 2 * HOUR_MS;
      const claim = (holder: string, at = nowMs) =>
        db.write((tx) => claimRun(tx, { holder, nowMs: at, ttlMs: 30_000 }));
      const [first, second] = await Promise.all([claim("a"), claim("b")]);
      const held = (first ?? second)!;
      expect([first, second].filter((run) => run !== null)).toHaveLength(1);
      expect(await claim("c")).toBeNull();
      expect(await db.write((tx) => renewRun(tx, held, { nowMs: nowMs + 20_000, ttlMs: 30_000 }))).toBe(true);
      expect(await claim("c", nowMs + 49_999)).toBeNull();
      const taken = (await claim("c", nowMs + 50_000))!;
      expect(taken).toMatchObject({ id: held.id, epoch: held.epoch + 1 });
      expect(await db.write((tx) => noteRun(tx, held, { status: "Running" }, nowMs))).toBe(false);
      expect(await db.write((tx) => endRun(tx, held, { status: "Completed" }, nowMs))).toBe(false);
      expect(await db.read((tx) => lookAtRun(tx, held))).toBe("lost");
      expect(await db.read((tx) => lookAtRun(tx, taken))).toBe("held");
      // In hand: its exporter ends it.
      expect(await db.write((tx) => cancelRun(tx, taken.id, nowMs + 50_001))).toBe(true);
      expect(await db.read((tx) => lookAtRun(tx, taken))).toBe("cancelled");
      expect((await scene.runsOf(id))[0]!.status).toBe("Starting");
      expect(await db.write((tx) => endRun(tx, taken, { status: "Cancelled" }, nowMs))).toBe(true);
      expect(await db.write((tx) => cancelRun(tx, taken.id, nowMs))).toBe(false);
    }),
  );

  test(
    "a run that is let go is tried when it is due, and one that nobody has is cancelled at once",
    inScene(async (scene) => {
      const { db } = scene;
      const { id } = await scene.newExport();
      await makeRuns(db, START + HOUR_MS);
      const nowMs = START + 2 * HOUR_MS;
      const claim = (at: number) => db.write((tx) => claimRun(tx, { holder: "a", nowMs: at, ttlMs: 30_000 }));
      const run = (await claim(nowMs))!;
      await db.write((tx) => releaseRun(tx, run, { latestError: "no" }, { nowMs, dueAtMs: nowMs + 5_000 }));
      expect(await claim(nowMs + 4_999)).toBeNull();
      expect(await db.write((tx) => cancelRun(tx, run.id, nowMs + 4_999))).toBe(true);
      expect(await claim(nowMs + 5_000)).toBeNull();
      expect(await scene.runsOf(id)).toMatchObject([
        { status: "Cancelled", latestError: "no", finishedAtMs: nowMs + 4_999 },
      ]);
    }),
  );
});

async function makeExport(db: Db, wish: Partial<BatchExport>): Promise<BatchExport> {
  return db.write((tx) =>
    createBatchExport(tx, {
      ...blankBatchExport(TEAM, START),
      destination: { type: "Folder", config: { path: "x" }, secrets: "" },
      nextFromMs: START,
      ...wish,
    }),
  );
}
