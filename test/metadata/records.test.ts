import { describe, expect, test } from "bun:test";
import {
  bootstrap,
  createEnvironment,
  createInsight,
  createPersonalApiKey,
  createProject,
  findCachedResults,
  findEnvironment,
  findOwner,
  findPersonalApiKey,
  findProject,
  findProjectByToken,
  type InsightContent,
  listEnvironments,
  listInsights,
  listPersonalApiKeys,
  revokePersonalApiKey,
  storeCachedResult,
  touchPersonalApiKey,
} from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { useStores } from "../support/stores.ts";

const NO_KEYS = { projectApiKey: null, personalApiKey: null };
const GIVEN_TOKEN = `phc_${"given".repeat(6)}`;
const GIVEN_KEY = `phx_${"given".repeat(6)}`;
const OTHER_KEY = `phx_${"other".repeat(6)}`;
const ALL = { limit: 100, offset: 0 };
const NOW = Date.UTC(2026, 0, 15);

const organizationOf = async (db: Db) => (await db.read((tx) => findOwner(tx)))!.organizationId;

const STORES = useStores();

describe.each(STORES)("first start on $name", ({ withStore }) => {
  test("makes project 1, environment 1 and two keys, once", () =>
    withStore(async (db) => {
      const first = await bootstrap(db, NO_KEYS, NOW);
      expect(first.projectApiKey).toMatch(/^phc_[0-9A-Za-z]{40,44}$/);
      expect(first.personalApiKey).toMatch(/^phx_[0-9A-Za-z]{44,48}$/);
      expect(await findProjectByToken(db, first.projectApiKey!)).toMatchObject({ teamId: 1 });
      expect(await findProjectByToken(db, "phc_unknown")).toBeNull();
      const key = await db.read((tx) => findPersonalApiKey(tx, first.personalApiKey!));
      expect(key).toMatchObject({ scopes: ["*"], level: "owner", scopedTeams: [] });
      expect(await bootstrap(db, NO_KEYS, NOW)).toEqual({ ...first, personalApiKey: null });
      expect((await db.read((tx) => listPersonalApiKeys(tx, ALL))).count).toBe(1);
    }));

  test("takes the keys that are set, and later adds a personal key but keeps the project's token", () =>
    withStore(async (db) => {
      const given = { projectApiKey: GIVEN_TOKEN, personalApiKey: GIVEN_KEY };
      expect(await bootstrap(db, given, NOW)).toEqual({ ...given, warnings: [] });
      expect(await bootstrap(db, given, NOW)).toEqual({ ...given, personalApiKey: null, warnings: [] });
      const later = await bootstrap(db, { projectApiKey: `${GIVEN_TOKEN}_other`, personalApiKey: OTHER_KEY }, NOW);
      expect(later).toMatchObject({ projectApiKey: GIVEN_TOKEN, personalApiKey: OTHER_KEY });
      expect(later.warnings[0]).toContain("WEIR_PROJECT_API_KEY");
      expect(await db.read((tx) => findPersonalApiKey(tx, OTHER_KEY))).toMatchObject({
        scopes: ["*"],
        level: "owner",
      });
    }));

  test("refuses a first key that could be guessed, and makes nothing then", () =>
    withStore(async (db) => {
      for (const weak of [
        { projectApiKey: null, personalApiKey: "phx_secret" },
        { projectApiKey: "phc_my_project", personalApiKey: null },
      ]) {
        await expect(bootstrap(db, weak, NOW)).rejects.toMatchObject({ code: "weak_key" });
      }
      expect((await bootstrap(db, NO_KEYS, NOW)).personalApiKey).not.toBeNull();
      await expect(bootstrap(db, { ...NO_KEYS, personalApiKey: "x".repeat(31) }, NOW)).rejects.toThrow("31 characters");
    }));

  test("a revoked key does not come back with the setting", () =>
    withStore(async (db) => {
      const given = { projectApiKey: null, personalApiKey: GIVEN_KEY };
      await bootstrap(db, given, NOW);
      const [key] = (await db.read((tx) => listPersonalApiKeys(tx, ALL))).items;
      await db.write((tx) => revokePersonalApiKey(tx, key!.id, NOW));
      await bootstrap(db, given, NOW);
      expect(await db.read((tx) => findPersonalApiKey(tx, GIVEN_KEY))).toBeNull();
    }));

  test("started twice at the same moment, it is made once", () =>
    withStore(async (db) => {
      const made = await Promise.all([bootstrap(db, NO_KEYS, NOW), bootstrap(db, NO_KEYS, NOW)]);
      expect(made.filter((result) => result.personalApiKey !== null)).toHaveLength(1);
      expect(made[0]!.projectApiKey).toBe(made[1]!.projectApiKey);
    }));
});

describe.each(STORES)("records on $name", ({ withStore }) => {
  test("ids of projects and environments never collide", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, NOW);
      const organizationId = await organizationOf(db);
      const ids = await db.write(async (tx) => [
        await createEnvironment(tx, { projectId: 1, name: "staging", nowMs: NOW }),
        await createProject(tx, { organizationId, name: "second", nowMs: NOW }),
        await createEnvironment(tx, { projectId: 1, name: "test", nowMs: NOW }),
      ]);
      expect(ids).toEqual([2, 3, 4]);
      await db.read(async (tx) => {
        expect((await listEnvironments(tx, [1])).map((env) => env.id)).toEqual([1, 2, 4]);
        expect(await findProject(tx, 2)).toBeNull();
        expect(await findProject(tx, 3)).toMatchObject({ name: "second" });
        expect(await findEnvironment(tx, 3)).toMatchObject({ projectId: 3, timezone: "UTC", weekStartDay: 0 });
      });
    }));

  test("a key is kept as its hash and its use noted at most hourly", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, NOW);
      const wish = { userId: 1, label: "l", scopes: ["insight:read"], scopedTeams: [1], level: "member" as const };
      const { key, value } = await db.write((tx) => createPersonalApiKey(tx, { ...wish, nowMs: NOW }));
      const rows: Record<string, unknown>[] = await db.read(
        (tx) => tx`select * from personal_api_keys where id = ${key.id}`,
      );
      expect(rows[0]!.secure_value).toMatch(/^sha256\$[0-9a-f]{64}$/);
      expect(JSON.stringify(rows)).not.toContain(value);
      expect(key.maskValue).toBe(`phx_...${value.slice(-4)}`);
      await touchPersonalApiKey(db, key, NOW);
      const used = (await db.read((tx) => findPersonalApiKey(tx, value)))!;
      expect(used).toEqual({ ...key, lastUsedAtMs: NOW });
      await touchPersonalApiKey(db, used, NOW + 3_599_999);
      expect((await db.read((tx) => findPersonalApiKey(tx, value)))!.lastUsedAtMs).toBe(NOW);
      await touchPersonalApiKey(db, used, NOW + 3_600_000);
      expect((await db.read((tx) => findPersonalApiKey(tx, value)))!.lastUsedAtMs).toBe(NOW + 3_600_000);
    }));

  test("insights are searched in any case and script, literally", () =>
    withStore(async (db) => {
      await bootstrap(db, NO_KEYS, NOW);
      const blank: InsightContent = {
        name: null,
        derivedName: null,
        description: null,
        filters: {},
        query: null,
        order: null,
        deleted: false,
        saved: false,
        favorited: false,
        isSample: false,
        tags: [],
      };
      const make = (content: Partial<InsightContent>) =>
        db.write((tx) => createInsight(tx, { teamId: 1, userId: 1, content: { ...blank, ...content }, nowMs: NOW }));
      await make({ name: "Größe ÄÖÜ", order: 3 });
      await make({ description: "100% sure", order: 1 });
      await make({ tags: ["needle_7"], saved: true });
      await make({ name: "Größe", deleted: true });
      const find = async (filter: object, descending = false) =>
        (
          await db.read((tx) =>
            listInsights(
              tx,
              { teamId: 1, visible: null, ...filter },
              { limit: 10, offset: 0, column: "sort_order", descending },
            ),
          )
        ).items.map((insight) => insight.id);
      expect(await find({ search: "grösse" })).toEqual([]);
      expect(await find({ search: "GRÖßE" })).toEqual([1]);
      expect(await find({ search: "äö" })).toEqual([1]);
      expect(await find({ search: "0%" })).toEqual([2]);
      expect(await find({ search: "%" })).toEqual([2]);
      expect(await find({ search: "e_7" })).toEqual([3]);
      expect(await find({ search: "\\" })).toEqual([]);
      expect(await find({ saved: true })).toEqual([3]);
      expect(await find({})).toEqual([2, 1, 3]);
      expect(await find({}, true)).toEqual([1, 2, 3]);
      expect(await find({ teamId: 2 })).toEqual([]);
    }));

  test("the result cache forgets the oldest beyond its size and keeps projects apart", () =>
    withStore(async (db) => {
      const store = (cacheKey: string, computedAtMs: number, sizeBytes: number, maxBytes = 1000) =>
        storeCachedResult(
          db,
          { cacheKey, teamId: 1, result: "x".repeat(sizeBytes), long: null, dataVersion: 0, basis: null, computedAtMs },
          maxBytes,
        );
      const present = async (teamId = 1) =>
        [...(await db.read((tx) => findCachedResults(tx, teamId, ["a", "b", "c", "d"]))).keys()].sort();
      await store("a", 1, 400);
      await store("b", 2, 400);
      await store("c", 3, 400);
      expect(await present()).toEqual(["b", "c"]);
      await store("d", 4, 1001);
      expect(await present()).toEqual(["b", "c"]);
      await store("d", 4, 900);
      expect(await present()).toEqual(["d"]);
      expect(await present(2)).toEqual([]);
      await store("d", 3, 10);
      const kept = await db.read((tx) => findCachedResults(tx, 1, ["d"]));
      expect(kept.get("d")).toMatchObject({ computedAtMs: 4 });
    }));
});
