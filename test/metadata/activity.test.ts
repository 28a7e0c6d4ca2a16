import { describe, expect, test } from "bun:test";
import {
  bootstrap,
  changesBetween,
  findOwner,
  listActivity,
  type NewActivity,
  recordActivity,
} from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { useStores } from "../support/stores.ts";

const ENTRY: NewActivity = {
  teamId: 1,
  userId: 1,
  scope: "Insight",
  itemId: "7",
  activity: "created",
  detail: { name: "signups", short_id: "abcdefgh" },
  atMs: 1_000,
};

const record = (db: Db, wish: Partial<NewActivity> = {}) =>
  db.write(async (tx) => recordActivity(tx, { ...ENTRY, ...wish }));
const all = { limit: 100, offset: 0 };

const STORES = useStores();

describe.each(STORES)("the activity log on $name", ({ withStore }) => {
  const withRecords = (body: (db: Db) => Promise<void>) =>
    withStore(async (db) => {
      await bootstrap(db, { projectApiKey: null, personalApiKey: null }, 0);
      await body(db);
    });

  test("keeps what was recorded, newest first, by scope, item, team, user and organisation", () =>
    withRecords(async (db) => {
      const organizationId = (await db.read((tx) => findOwner(tx)))!.organizationId;
      const changes = changesBetween("Insight", { name: "a" }, { name: "b" }, ["name"]);
      await record(db);
      await record(db, { activity: "updated", detail: { name: "b", changes }, atMs: 500 });
      await record(db, { scope: "Dashboard" });
      await record(db, { teamId: 2, userId: null });
      await record(db, { teamId: null, scope: "PersonalAPIKey", itemId: "k" });
      const read = (filter: Parameters<typeof listActivity>[1], page = all) =>
        db.read((tx) => listActivity(tx, filter, page));
      const mine = await read({ teamId: 1, scope: "Insight", itemId: "7" });
      expect(mine.count).toBe(2);
      expect(mine.items.map((entry) => entry.activity)).toEqual(["updated", "created"]);
      expect(mine.items[0]).toMatchObject({
        organizationId,
        teamId: 1,
        userId: 1,
        itemId: "7",
        detail: { name: "b", short_id: null, changes },
        atMs: 500,
      });
      expect(mine.items[1]!.detail.changes).toBeNull();
      expect(await read({ teamId: 1 }, { limit: 1, offset: 1 })).toMatchObject({
        count: 3,
        items: [{ activity: "updated" }],
      });
      expect((await read({ userId: 1 })).count).toBe(4);
      expect((await read({ organizationId })).count).toBe(5);
      expect((await read({ organizationId: "other" })).count).toBe(0);
    }));

  test("goes with the transaction, and leaves out updates that changed nothing", () =>
    withRecords(async (db) => {
      const failed = db.write(async (tx) => {
        await recordActivity(tx, ENTRY);
        throw new Error("no");
      });
      await expect(failed).rejects.toThrow("no");
      await record(db, { activity: "updated", detail: { name: "x", changes: [] } });
      expect((await db.read((tx) => listActivity(tx, {}, all))).count).toBe(0);
    }));

  test("holds no secret, wherever it stands", () =>
    withRecords(async (db) => {
      const secrets = [
        "phc_ABCDEFGHIJKLMN",
        "phx_0123456789abcdef",
        "hunter2-of-the-store",
        "https://hooks.example/T0/x",
      ];
      const [token, key, password, webhook] = secrets;
      const before = { api_token: token, slack_incoming_webhook: null, extra_settings: null, name: "a" };
      const after = {
        api_token: "phc_OPQRSTUVWXYZ",
        slack_incoming_webhook: webhook!,
        extra_settings: { nested: [{ aws_secret: password!, note: `use ${key}` }] },
        name: `${key} is the key`,
      };
      const changes = changesBetween("Team", before as never, after as never, Object.keys(after));
      await record(db, { activity: "updated", detail: { name: `see ${token}`, short_id: key, changes } });
      const rows: object[] = await db.read(async (tx) => tx`select * from activity_log`);
      const stored = JSON.stringify(rows);
      for (const secret of [...secrets, "OPQRSTUVWXYZ"]) expect(stored).not.toContain(secret);
      const { items: entries } = await db.read((tx) => listActivity(tx, {}, all));
      const kept = entries[0]!.detail.changes!;
      expect(kept.map((change) => [change.field, change.action])).toEqual([
        ["api_token", "changed"],
        ["slack_incoming_webhook", "created"],
        ["extra_settings", "created"],
        ["name", "changed"],
      ]);
      expect(kept[0]).toMatchObject({ before: null, after: null });
      expect(kept[2]!.after).toEqual({ nested: [{ aws_secret: "********", note: "use phx_********" }] });
    }));
});

describe("changes between two records", () => {
  test("tell what was set, changed and cleared, deeply, and nothing else", () => {
    const before = { same: { a: [1, { b: 2 }] }, changed: [1], cleared: "x", hidden: 1 };
    const after = { same: { a: [1, { b: 2 }] }, changed: [1, 2], set: false, hidden: 2 };
    expect(changesBetween("Team", before, after, ["same", "changed", "cleared", "set", "nowhere"])).toEqual([
      { type: "Team", action: "changed", field: "changed", before: [1], after: [1, 2] },
      { type: "Team", action: "deleted", field: "cleared", before: "x", after: null },
      { type: "Team", action: "created", field: "set", before: null, after: false },
    ]);
    expect(changesBetween("Team", null, { name: "n" }, ["name"])).toEqual([
      { type: "Team", action: "created", field: "name", before: null, after: "n" },
    ]);
  });
});
