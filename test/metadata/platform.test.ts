import { describe, expect, test } from "bun:test";
import {
  bootstrap,
  createEnvironment,
  createPersonalApiKey,
  createProject,
  environmentsWithEvents,
  findEnvironment,
  findOrganization,
  findOwner,
  findPersonalApiKey,
  findProject,
  findProjectByToken,
  findUsers,
  hideEnvironments,
  hideProject,
  holdRow,
  listGroupTypes,
  listPersonalApiKeys,
  listProductIntents,
  listProjects,
  noteProductIntent,
  renameOrganization,
  renameProject,
  rollPersonalApiKey,
  setDemoUntil,
  setEnvironmentToken,
  storeCachedResult,
  updateEnvironment,
  updatePersonalApiKey,
  updateUser,
} from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { useStores } from "../support/stores.ts";

const NOW = Date.UTC(2026, 0, 15);

const STORES = useStores();

describe.each(STORES)("records on $name", ({ withStore }) => {
  const withRecords = (body: (db: Db) => Promise<void>) =>
    withStore(async (db) => {
      await bootstrap(db, { projectApiKey: `phc_${"first".repeat(6)}`, personalApiKey: null }, NOW);
      await body(db);
    });
  const ownerOf = async (db: Db) => (await db.read((tx) => findOwner(tx)))!;

  test("hiding an environment takes its token, its results and what @current meant", () =>
    withRecords(async (db) => {
      const owner = await ownerOf(db);
      const id = await db.write((tx) => createEnvironment(tx, { projectId: 1, name: "second", nowMs: NOW }));
      const { apiToken } = (await db.read((tx) => findEnvironment(tx, id)))!;
      await db.write((tx) => updateUser(tx, { ...owner, currentEnvironmentId: id }));
      const entry = {
        cacheKey: "k",
        teamId: id,
        result: "{}",
        long: null,
        dataVersion: 0,
        basis: null,
        computedAtMs: NOW,
      };
      await storeCachedResult(db, entry, 1000);
      await db.write((tx) => hideEnvironments(tx, [id], NOW));
      await db.write((tx) => hideEnvironments(tx, [], NOW));
      expect(await db.read((tx) => findEnvironment(tx, id))).toBeNull();
      expect(await findProjectByToken(db, apiToken)).toBeNull();
      expect((await ownerOf(db)).currentEnvironmentId).toBe(1);
      const cached: object[] = await db.read(async (tx) => tx`select * from query_cache`);
      expect(cached).toEqual([]);
      await db.write((tx) => hideEnvironments(tx, [1], NOW));
      expect((await ownerOf(db)).currentEnvironmentId).toBeNull();
    }));

  test("hiding a project takes all of its environments, and the next ids go on", () =>
    withRecords(async (db) => {
      const { organizationId } = await ownerOf(db);
      const make = () => db.write((tx) => createProject(tx, { organizationId, name: "p", nowMs: NOW }));
      const id = await make();
      const second = await db.write((tx) => createEnvironment(tx, { projectId: id, name: "e", nowMs: NOW }));
      await db.write((tx) => renameProject(tx, { id, name: "renamed", nowMs: NOW }));
      expect(await db.read((tx) => findProject(tx, id))).toMatchObject({ name: "renamed" });
      await db.write((tx) => hideProject(tx, id, NOW));
      expect(await db.read((tx) => findProject(tx, id))).toBeNull();
      for (const gone of [id, second]) expect(await db.read((tx) => findEnvironment(tx, gone))).toBeNull();
      expect((await db.read((tx) => listProjects(tx, { limit: 1, offset: 1 }))).count).toBe(1);
      expect(await make()).toBe(second + 1);
    }));

  test("what the data says of environments", () =>
    withRecords(async (db) => {
      await db.write(async (tx) => {
        const counts = [
          { team_id: 1, outcome: "stored", cause: "", events: 5 },
          { team_id: 2, outcome: "dropped", cause: "x", events: 5 },
          { team_id: 3, outcome: "stored", cause: "", events: 0 },
        ];
        for (const row of counts) await tx`insert into settled_counts ${tx(row)}`;
        await tx`insert into group_types (team_id, group_type, group_index) values (1, 'team', 1), (1, 'company', 0)`;
      });
      expect(await db.read((tx) => environmentsWithEvents(tx, [1, 2, 3]))).toEqual(new Set([1]));
      expect(await db.read((tx) => environmentsWithEvents(tx, []))).toEqual(new Set());
      const types = [
        { name: "company", index: 0 },
        { name: "team", index: 1 },
      ];
      expect(await db.read((tx) => listGroupTypes(tx, 1))).toEqual(types);
      expect(await db.read((tx) => listGroupTypes(tx, 2))).toEqual([]);
    }));

  test("tokens, demos and product intents of an environment", () =>
    withRecords(async (db) => {
      await db.write((tx) => setEnvironmentToken(tx, 1, { token: "phc_second", nowMs: NOW }));
      await db.write((tx) => setDemoUntil(tx, 1, NOW + 5));
      expect(await findProjectByToken(db, `phc_${"first".repeat(6)}`)).toBeNull();
      expect(await findProjectByToken(db, "phc_second")).toMatchObject({ teamId: 1 });
      expect(await db.read((tx) => findEnvironment(tx, 1))).toMatchObject({ demoUntilMs: NOW + 5 });
      const note = (nowMs: number, isOnboarded: boolean, context: string | null) =>
        db.write((tx) => noteProductIntent(tx, { teamId: 1, productType: "surveys", context, isOnboarded, nowMs }));
      expect((await note(1, false, "menu")).before).toBeNull();
      expect((await note(2, true, null)).before).toMatchObject({ updatedAtMs: 1 });
      await note(3, false, null);
      expect(await db.read((tx) => listProductIntents(tx, 1))).toEqual([
        { productType: "surveys", createdAtMs: 1, updatedAtMs: 3, onboardingCompletedAtMs: 2 },
      ]);
      expect(await db.read((tx) => listProductIntents(tx, 2))).toEqual([]);
    }));

  test("keys are changed and rolled, and counted by user", () =>
    withRecords(async (db) => {
      const wish = { userId: 1, label: "a", scopes: ["*"], scopedTeams: [], level: "admin" as const, nowMs: NOW };
      const { key, value } = await db.write((tx) => createPersonalApiKey(tx, wish));
      const changed = { ...key, label: "b", scopes: ["query:read"], scopedTeams: [1], level: "member" as const };
      await db.write((tx) => updatePersonalApiKey(tx, changed));
      expect(await db.read((tx) => findPersonalApiKey(tx, value))).toEqual(changed);
      const rolled = (await db.write((tx) => rollPersonalApiKey(tx, key.id, NOW + 1)))!;
      expect(await db.read((tx) => findPersonalApiKey(tx, value))).toBeNull();
      expect(await db.read((tx) => findPersonalApiKey(tx, rolled.value))).toMatchObject({
        id: key.id,
        lastRolledAtMs: NOW + 1,
      });
      expect(await db.write((tx) => rollPersonalApiKey(tx, "none", NOW))).toBeNull();
      const page = { limit: 1, offset: 1 };
      expect(await db.read((tx) => listPersonalApiKeys(tx, { ...page, userId: 1 }))).toMatchObject({ count: 2 });
      expect((await db.read((tx) => listPersonalApiKeys(tx, { ...page, userId: 2 }))).count).toBe(0);
    }));

  test("changes of one row at the same moment wait for each other", () =>
    withRecords(async (db) => {
      const change = (field: string) =>
        db.write(async (tx) => {
          await holdRow(tx, "environments", 1);
          const environment = (await findEnvironment(tx, 1))!;
          await Bun.sleep(20);
          await updateEnvironment(tx, { ...environment, settings: { ...environment.settings, [field]: true } });
        });
      await Promise.all([change("a"), change("b"), change("c")]);
      expect((await db.read((tx) => findEnvironment(tx, 1)))!.settings).toEqual({ a: true, b: true, c: true });
    }));

  test("users and the organisation", () =>
    withRecords(async (db) => {
      const owner = await ownerOf(db);
      const changed = { ...owner, lastName: "L", hedgehogConfig: { a: 1 }, settings: { theme_mode: "dark" } };
      await db.write((tx) => updateUser(tx, changed));
      expect((await db.read((tx) => findUsers(tx, [1]))).get(1)).toEqual(changed);
      const { organizationId: id } = owner;
      await db.write((tx) => renameOrganization(tx, { id, name: "Shop", nowMs: NOW + 1 }));
      const organization = await db.read((tx) => findOrganization(tx, id));
      expect(organization).toEqual({ id, name: "Shop", slug: "weir", createdAtMs: NOW, updatedAtMs: NOW + 1 });
      expect(await db.read((tx) => findOrganization(tx, "none"))).toBeNull();
    }));
});
