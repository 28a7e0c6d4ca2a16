import { describe, expect, test } from "bun:test";
import {
  addTile,
  bootstrap,
  cancelQuery,
  cancelsSince,
  claimedSince,
  createDashboard,
  createInsight,
  dropClaim,
  endJob,
  ensureLink,
  findCachedResults,
  findJob,
  findOpenJobs,
  findSharedLink,
  hasStarvedJobs,
  joinJob,
  lastViewedInsights,
  listDashboards,
  listInsights,
  noteInsightView,
  type QueryJob,
  refreshLinkToken,
  renewClaim,
  setTilesOfDashboard,
  sharedAmong,
  startJob,
  storeCachedResult,
  takeClaim,
  takeJob,
  tilesOfDashboard,
  tilesOfInsights,
  updateLink,
  updateTile,
} from "../../src/metadata/mod.ts";
import type { Db, Tx } from "../../src/store/mod.ts";
import { untilWaiting, useStores } from "../support/stores.ts";

const NOW = Date.UTC(2026, 0, 15);
const OWNER = { teamId: 1, userId: 1, nowMs: NOW };
const INSIGHT = {
  name: "i",
  derivedName: null,
  description: null,
  filters: {},
  query: { kind: "InsightVizNode", source: { kind: "TrendsQuery" } },
  order: null,
  deleted: false,
  saved: false,
  favorited: false,
  isSample: false,
  tags: [],
};
const taker = (taskId: string, nowMs: number, worker = "w") => ({ taskId, worker, nowMs });
const DASHBOARD = {
  name: "Größe",
  description: "",
  pinned: false,
  deleted: false,
  filters: {},
  variables: {},
  tags: [],
};

describe.each(useStores())("records of insights on $name", ({ withStore }) => {
  const withRecords = (body: (db: Db) => Promise<void>) =>
    withStore(async (db) => {
      await bootstrap(db, { projectApiKey: null, personalApiKey: null }, NOW);
      await body(db);
    });

  test("tiles join insights and dashboards, and come back as they were", () =>
    withRecords(async (db) => {
      const { insight, dashboard } = await db.write(async (tx) => ({
        insight: await createInsight(tx, { ...OWNER, content: INSIGHT }),
        dashboard: await createDashboard(tx, { ...OWNER, content: DASHBOARD }),
      }));
      const place = { dashboardId: dashboard.id, insightId: insight.id };
      const tile = await db.write((tx) => addTile(tx, place));
      expect(tile).toMatchObject({ ...place, deleted: null, layouts: {}, color: null });
      await db.write((tx) => updateTile(tx, { ...tile, deleted: true, color: "blue", layouts: { a: [1] } }));
      expect(await db.read((tx) => tilesOfInsights(tx, [insight.id]))).toEqual([]);
      const back = { ...tile, deleted: false, color: "blue", layouts: { a: [1] } };
      expect(await db.write((tx) => addTile(tx, place))).toEqual(back);
      await db.write((tx) => setTilesOfDashboard(tx, dashboard.id, { deleted: true }));
      expect(await db.read((tx) => tilesOfDashboard(tx, dashboard.id))).toEqual([]);
      expect(await db.read((tx) => tilesOfDashboard(tx, dashboard.id, { withDeleted: true }))).toHaveLength(1);
      await db.write((tx) => setTilesOfDashboard(tx, dashboard.id, { deleted: false }));
      const page = { limit: 10, offset: 0, column: "id", descending: false };
      const found = async (filter: object) =>
        (await db.read((tx) => listInsights(tx, { teamId: 1, visible: null, ...filter }, page))).count;
      expect(await found({ dashboards: [dashboard.id] })).toBe(1);
      expect(await found({ dashboards: [dashboard.id, 99] })).toBe(0);
      expect(await found({ saved: true, kinds: ["TrendsQuery"] })).toBe(1);
      expect(await found({ kinds: ["InsightVizNode"] })).toBe(0);
      expect(await found({ modifiedAfterMs: NOW })).toBe(0);
      expect(
        await db.read((tx) => listDashboards(tx, { teamId: 1, visible: null, search: "GRÖSSE" }, page)),
      ).toMatchObject({
        count: 0,
      });
      expect(
        await db.read((tx) => listDashboards(tx, { teamId: 1, visible: null, search: "GRÖß" }, page)),
      ).toMatchObject({
        count: 1,
      });
      expect(await db.read((tx) => listDashboards(tx, { teamId: 2, visible: null }, page))).toMatchObject({ count: 0 });
      for (const nowMs of [1, 2]) {
        await db.write((tx) => noteInsightView(tx, { insightId: insight.id, userId: 1, nowMs }));
      }
      expect(await db.read((tx) => lastViewedInsights(tx, { teamId: 1, userId: 1, limit: 5 }))).toHaveLength(1);
      expect(await db.read((tx) => lastViewedInsights(tx, { teamId: 1, userId: 2, limit: 5 }))).toEqual([]);
    }));

  test("a link opens while it is enabled", () =>
    withRecords(async (db) => {
      const { id } = await db.write((tx) => createInsight(tx, { ...OWNER, content: INSIGHT }));
      const item = { kind: "insight", itemId: id, teamId: 1 } as const;
      const made = await db.write((tx) => ensureLink(tx, item));
      expect(await db.write((tx) => ensureLink(tx, item))).toEqual(made);
      const opens = (token: string) => db.read((tx) => findSharedLink(tx, token));
      const update = (viewerDates: boolean, nowMs: number) =>
        db.write((tx) => updateLink(tx, item, { enabled: true, viewerDates, annotations: !viewerDates, nowMs }));
      const shared = (kind: "insight" | "dashboard") => db.read((tx) => sharedAmong(tx, kind, [id, id + 1]));
      expect([await opens(made.accessToken), await shared("insight")]).toEqual([null, new Set()]);
      await update(false, NOW);
      await update(true, NOW + 1);
      expect(await opens(made.accessToken)).toEqual({
        ...made,
        ...{ enabled: true, viewerDates: true, annotations: false, createdAtMs: NOW },
      });
      expect([await shared("insight"), await shared("dashboard")]).toEqual([new Set([id]), new Set()]);
      await db.write((tx) => refreshLinkToken(tx, item));
      expect(await opens(made.accessToken)).toBeNull();
    }));

  test("one claim on a result at a time; one that was not renewed is lost", () =>
    withRecords(async (db) => {
      const key = { cacheKey: "k", dataVersion: 1 };
      const take = (holder: string, nowMs: number, of = key) =>
        db.write((tx) => takeClaim(tx, of, { holder, computedAtMs: nowMs, nowMs, ttlMs: 100 }));
      const since = (nowMs: number) => db.read((tx) => claimedSince(tx, key, nowMs));
      expect(await take("a", 1)).toBe(true);
      expect(await take("b", 2)).toBe(false);
      expect(await take("b", 2, { ...key, dataVersion: 2 })).toBe(true);
      expect(await since(50)).toBe(1);
      await db.write((tx) => renewClaim(tx, key, { holder: "b", expiresAtMs: 999 }));
      expect(await since(102)).toBeNull();
      await db.write((tx) => renewClaim(tx, key, { holder: "a", expiresAtMs: 200 }));
      expect(await take("b", 200)).toBe(false);
      expect(await take("b", 201)).toBe(true);
      await db.write((tx) => dropClaim(tx, key, "a"));
      expect(await since(202)).toBe(201);
      await db.write((tx) => dropClaim(tx, key, "b"));
      expect(await since(202)).toBeNull();
    }));

  test("of one id one job at a time; runs that are over touch nothing", () =>
    withRecords(async (db) => {
      const wish = (runId: string, nowMs: number) => ({
        teamId: 1,
        id: "j",
        runId,
        cacheKey: "k",
        question: "{}",
        startedAtMs: nowMs,
        expiresAtMs: nowMs + 100,
        userId: 5,
      });
      const start = (runId: string, nowMs: number) => db.write((tx) => startJob(tx, wish(runId, nowMs), 100));
      const end = (runId: string) =>
        db.write((tx) =>
          endJob(tx, wish(runId, 0), {
            state: "done",
            errorMessage: null,
            cacheKey: "k2",
            endedAtMs: 9,
            expiresAtMs: 200,
          }),
        );
      const both = await Promise.all([start("a", 1), start("b", 1)]);
      const [{ runId }] = both;
      expect(both[1].runId).toBe(runId);
      const loser = runId === "a" ? "b" : "a";
      expect(await db.write((tx) => takeJob(tx, taker("t", 2)))).toMatchObject({
        job: { runId, state: "running", attempts: 1 },
      });
      expect(await db.write((tx) => takeJob(tx, taker("other", 2)))).toBe("none");
      expect(await db.write((tx) => takeJob(tx, taker("t", 3)))).toMatchObject({ job: { runId, attempts: 2 } });
      await end(loser);
      const open = await db.read((tx) => findOpenJobs(tx, 1, ["k", "x"], 3));
      expect(open.get("k")).toMatchObject({ state: "running", pickedUpAtMs: 2, endedAtMs: null });
      expect(await db.read((tx) => findOpenJobs(tx, 2, ["k"], 3))).toEqual(new Map());
      await end(runId);
      expect(await db.read((tx) => findJob(tx, 1, "j", 3))).toMatchObject({
        state: "done",
        cacheKey: "k2",
        endedAtMs: 9,
      });
      expect(await db.read((tx) => findJob(tx, 2, "j", 3))).toBeNull();
      expect(await db.read((tx) => findJob(tx, 1, "j", 200))).toBeNull();
      expect(await start("c", 10)).toMatchObject({ runId: "c", state: "queued", pickedUpAtMs: null, endedAtMs: null });
      expect(await start("d", 500)).toMatchObject({ runId: "d" });
      await expect(
        db.write((tx) => startJob(tx, { ...wish("e", 501), cacheKey: "of another", userId: 6 }, 100)),
      ).rejects.toMatchObject({ code: "query_id_taken" });
      expect(await db.write((tx) => cancelQuery(tx, { teamId: 1, id: "j", userId: 6 }, 501))).toBeNull();
      const own = { teamId: 1, id: "j", userId: 5 };
      expect(await db.write((tx) => cancelQuery(tx, own, 501))).toEqual({ wasDone: false });
      expect(await db.read((tx) => findJob(tx, 1, "j", 501))).toBeNull();
      // Requests that wait under this id, and the run.
      expect((await db.read((tx) => cancelsSince(tx, 501))).toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
        { teamId: 1, id: "5 j", atMs: 501 },
        { teamId: 1, id: "d", atMs: 501 },
      ]);
      expect(await db.read((tx) => cancelsSince(tx, 502))).toEqual([]);
    }));

  test("a calculation that several ask for ends with the last of them", () =>
    withRecords(async (db) => {
      const wish = (runId: string, nowMs: number) => ({
        ...{ teamId: 1, id: "k", runId, cacheKey: "k", question: "{}" },
        ...{ startedAtMs: nowMs, expiresAtMs: nowMs + 100, userId: 5 },
      });
      const start = (runId: string) => db.write((tx) => startJob(tx, wish(runId, 1), 100));
      const [{ runId }] = await Promise.all([start("a"), start("b"), start("c")]);
      const find = () => db.read((tx) => findJob(tx, 1, "k", 2));
      expect(await find()).toMatchObject({ runId, askers: 3, users: [5, 5, 5] });
      const join = (userId: number | null) => db.write((tx) => joinJob(tx, { teamId: 1, id: "k", runId }, userId));
      for (const userId of [6, null]) await join(userId);
      const cancel = (userId: number) => db.write((tx) => cancelQuery(tx, { teamId: 1, id: "k", userId }, 2));
      await Promise.all([cancel(5), cancel(5), cancel(5)]);
      expect(await find()).toMatchObject({ runId, askers: 2, users: [6] });
      // It is no more among those that ask.
      expect(await cancel(5)).toBeNull();
      expect(await db.read((tx) => cancelsSince(tx, 0))).toEqual([]);
      await db.write((tx) => tx`update query_jobs set askers = 1`);
      await cancel(6);
      expect(await find()).toBeNull();
      expect((await db.read((tx) => cancelsSince(tx, 0))).map(({ id }) => id).toSorted()).toEqual(
        [runId, "6 k"].toSorted(),
      );
      expect(await join(5)).toBeNull();
      expect(await start("d")).toMatchObject({ runId: "d", askers: 1 });
    }));

  test("an id that two users choose at the same moment is that of one of them", () =>
    withRecords(async (db) => {
      const start = (tx: Tx, userId: number) => {
        const run = { teamId: 1, id: "j", runId: `of ${userId}`, cacheKey: "k", question: "{}" };
        return startJob(tx, { ...run, startedAtMs: 1, expiresAtMs: 1_000, userId }, 9);
      };
      const { other } = await db.write(async (tx) => {
        expect(await start(tx, 5)).toMatchObject({ runId: "of 5" });
        const other = db.write((tx) => start(tx, 6)).catch((error: unknown) => error);
        await untilWaiting(db);
        return { other };
      });
      expect(await other).toMatchObject({ code: "query_id_taken" });
    }));

  test("who joins a calculation that its last asker ends at the same moment gets a new one", () =>
    withRecords(async (db) => {
      const start = (runId: string, userId: number) => {
        const run = { teamId: 1, id: "k", runId, cacheKey: "k", question: "{}" };
        return db.write((tx) => startJob(tx, { ...run, startedAtMs: 1, expiresAtMs: 1_000, userId }, 9));
      };
      await start("a", 5);
      const { joining } = await db.write(async (tx) => {
        await cancelQuery(tx, { teamId: 1, id: "k", userId: 5 }, 2);
        const joining = start("b", 6);
        await untilWaiting(db);
        return { joining };
      });
      expect(await joining).toMatchObject({ runId: "b", users: [6] });
      expect(await db.read((tx) => findJob(tx, 1, "k", 3))).toMatchObject({ runId: "b" });
    }));

  test("jobs are taken in turns by project, the oldest of each first", () =>
    withRecords(async (db) => {
      const start = (teamId: number, id: string, startedAtMs: number, pendingMax = 100) =>
        db.write((tx) => {
          const run = { teamId, id, runId: `${teamId}${id}`, cacheKey: id, question: "{}" };
          return startJob(tx, { ...run, startedAtMs, expiresAtMs: 1_000, userId: 5 }, pendingMax);
        });
      for (const [i, id] of ["a", "b", "c", "d"].entries()) await start(1, id, i);
      for (const [i, id] of ["a", "b"].entries()) await start(2, id, 10 + i);
      const order: string[] = [];
      for (let nowMs = 20; ; nowMs++) {
        const taken = await db.write((tx) => takeJob(tx, taker(`t${nowMs}`, nowMs)));
        if (typeof taken === "string") break;
        const { job } = taken;
        order.push(job.runId);
        const ended = {
          state: "done" as const,
          errorMessage: null,
          cacheKey: "k",
          endedAtMs: nowMs,
          expiresAtMs: 1_000,
        };
        await db.write((tx) => endJob(tx, job, ended));
      }
      expect(order).toEqual(["1a", "2a", "1b", "2b", "1c", "1d"]);
      // With one running of a project, the other's goes first, whoever was served last.
      for (const id of ["e", "f"]) await start(1, id, 50);
      expect(await db.write((tx) => takeJob(tx, taker("u", 51)))).toMatchObject({ job: { runId: "1e" } });
      await start(2, "e", 52);
      expect(await db.read((tx) => hasStarvedJobs(tx, 52))).toBe(true);
      const starved = (taskId: string, nowMs: number) =>
        db.write((tx) => takeJob(tx, { ...taker(taskId, nowMs), onlyStarved: true }));
      expect(await starved("v", 53)).toMatchObject({ job: { runId: "2e" } });
      expect(await db.read((tx) => hasStarvedJobs(tx, 53))).toBe(false);
      expect(await starved("w", 53)).toBe("none");
      await expect(start(1, "g", 54, 2)).rejects.toMatchObject({ code: "queries_busy", retryable: true });
      expect(await start(1, "f", 54, 2)).toMatchObject({ state: "queued" });
      expect(await start(3, "g", 54, 2)).toMatchObject({ state: "queued" });
    }));

  test("a process leaves a calculation to the one that had the last of its project, while that has nothing to do", () =>
    withRecords(async (db) => {
      const start = (id: string) => {
        const wish = {
          ...{ teamId: 1, id, runId: id, cacheKey: "k", question: "{}" },
          startedAtMs: 1,
          expiresAtMs: 1_000,
          userId: 5,
        };
        return db.write((tx) => startJob(tx, wish, 9));
      };
      for (const id of ["a", "b", "c"]) await start(id);
      const take = (taskId: string, worker: string, leaves = true) =>
        db.write((tx) => takeJob(tx, { ...taker(taskId, 2, worker), leaves }));
      const first = (await take("1", "near")) as { job: QueryJob };
      expect(first).toMatchObject({ job: { runId: "a" } });
      // The one that is near has something to do.
      const second = (await take("2", "far")) as { job: QueryJob };
      expect(second).toMatchObject({ job: { runId: "b" } });
      const ended = { state: "done" as const, errorMessage: null, cacheKey: "k", endedAtMs: 3, expiresAtMs: 1_000 };
      for (const { job } of [first, second]) await db.write((tx) => endJob(tx, job, ended));
      expect(await take("3", "third")).toBe("left");
      // What had it may have died.
      expect(await take("3", "third", false)).toMatchObject({ job: { runId: "c" } });
    }));

  test("a result is kept with what it depends on", () =>
    withRecords(async (db) => {
      const entry = {
        cacheKey: "k",
        teamId: 1,
        result: "{}",
        long: null,
        dataVersion: 7,
        basis: "a/b",
        computedAtMs: 1,
      };
      await storeCachedResult(db, entry, 1000);
      await storeCachedResult(db, { ...entry, cacheKey: "n", basis: null }, 1000);
      const found = await db.read((tx) => findCachedResults(tx, 1, ["k", "n"]));
      expect(found.get("k")).toEqual({ result: "{}", long: null, dataVersion: 7, basis: "a/b", computedAtMs: 1 });
      expect(found.get("n")!.basis).toBeNull();
    }));
});
