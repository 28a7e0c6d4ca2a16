import { describe, expect, test } from "bun:test";
import * as manage from "../../src/manage/mod.ts";
import { bootstrap, type Db, findPersonalApiKey, findProjectByToken, listActivity } from "../../src/metadata/mod.ts";
import { withSqlite } from "../support/stores.ts";

const FIRST_TOKEN = `phc_${"first".repeat(6)}`;

/** What a command prints. */
const printed =
  (command: typeof manage.runKeys) =>
  async (argv: string[], db: Db): Promise<string> => {
    const lines: string[] = [];
    await command(argv, db, (text) => lines.push(text));
    return lines.join("\n");
  };
const runKeys = printed(manage.runKeys);
const runProjects = printed(manage.runProjects);

const withFirstStart = (body: (db: Db) => Promise<void>) =>
  withSqlite(async (db) => {
    await bootstrap(db, { projectApiKey: FIRST_TOKEN, personalApiKey: "phx_first-key-of-the-owner-of-all-of-it" }, 0);
    await body(db);
  });

describe("weir keys", () => {
  test("makes, lists and revokes a key", () =>
    withFirstStart(async (db) => {
      const args = "create --label ci --scopes insight:read,query:read --projects 1 --level admin --json".split(" ");
      const made = JSON.parse(await runKeys(args, db));
      expect(made).toMatchObject({ scopes: ["insight:read", "query:read"], scoped_teams: [1], level: "admin" });
      expect(await db.read((tx) => findPersonalApiKey(tx, made.value))).toMatchObject({ label: "ci" });
      const listed = await runKeys(["list"], db);
      expect(listed.split("\n")).toHaveLength(3);
      expect(listed).toContain(made.mask_value);
      expect(listed).not.toContain(made.value);
      expect(JSON.parse(await runKeys(["list", "--json"], db))).toHaveLength(2);
      expect(await runKeys(["revoke", made.id], db)).toContain("revoked");
      expect(await db.read((tx) => findPersonalApiKey(tx, made.value))).toBeNull();
      await expect(runKeys(["revoke", made.id], db)).rejects.toMatchObject({ code: "not_found" });
    }));

  test("and `weir projects` leave what they did in the activity log, without keys", () =>
    withFirstStart(async (db) => {
      const made = JSON.parse(await runKeys("create --label ci --scopes * --json".split(" "), db));
      await runKeys(["revoke", made.id], db);
      await runProjects(["create", "Shop"], db);
      const { items: entries } = await db.read((tx) => listActivity(tx, {}, { limit: 10, offset: 0 }));
      expect(entries.map(({ scope, activity, userId }) => [scope, activity, userId])).toEqual([
        ["Team", "created", null],
        ["Project", "created", null],
        ["PersonalAPIKey", "deleted", null],
        ["PersonalAPIKey", "created", null],
      ]);
      expect(JSON.stringify(entries)).not.toContain(made.value);
    }));

  test("prints the value of a new key in plain text", () =>
    withFirstStart(async (db) => {
      const printed = await runKeys(["create", "--label", "x", "--scopes", "*"], db);
      expect(await db.read((tx) => findPersonalApiKey(tx, printed.split("\n")[0]!))).toMatchObject({ level: "member" });
    }));

  test.each([
    "",
    "make",
    "create --scopes *",
    "create --label x",
    "create --label x --scopes nope",
    "create --label x --scopes * --level god",
    "create --label x --scopes * --projects 9",
    "create --label x --scopes * --projects one",
    "list --what",
    "revoke",
  ])("`%s` is refused with the usage", (line) =>
    withFirstStart(async (db) => {
      const running = runKeys(
        line.split(" ").filter((part) => part !== ""),
        db,
      );
      await expect(running).rejects.toMatchObject({
        code: "invalid_arguments",
        message: expect.stringContaining("usage:"),
      });
    }),
  );
});

describe("weir projects", () => {
  test("makes and lists projects", () =>
    withFirstStart(async (db) => {
      const made = JSON.parse(await runProjects(["create", "Shop", "--json"], db));
      expect(made).toMatchObject({ id: 2, name: "Shop" });
      expect(await findProjectByToken(db, made.api_token)).toMatchObject({ teamId: 2 });
      expect(await runProjects(["create", "Third"], db)).toContain('Project 3 "Third" takes events with phc_');
      expect(await runProjects(["list"], db)).toContain(FIRST_TOKEN);
      expect(JSON.parse(await runProjects(["list", "--json"], db))).toHaveLength(3);
      await expect(runProjects(["create"], db)).rejects.toMatchObject({ code: "invalid_arguments" });
    }));
});
