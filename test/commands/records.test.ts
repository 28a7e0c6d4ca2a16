import { describe, expect, test } from "bun:test";
import { readKeys } from "../../src/commands/keys.ts";
import { type Options, readArguments } from "../../src/commands/kit/command.ts";
import { readProjects } from "../../src/commands/projects.ts";
import { bootstrap, findPersonalApiKey, findProjectByToken, listActivity } from "../../src/metadata/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import { UsageError } from "../../src/types/mod.ts";
import { withSqlite } from "../support/stores.ts";

const KEYS = {
  label: "text",
  scopes: "text",
  projects: "text",
  level: "text",
  json: "flag",
} as const satisfies Options;
const keys = async (argv: string[], db: Db) => readKeys(readArguments(argv, KEYS, 2))(db);
/** What a command prints on the standard output. */
const runKeys = async (argv: string[], db: Db) => (await keys(argv, db)).text;
const runProjects = async (argv: string[], db: Db) =>
  (await readProjects(readArguments(argv, { json: "flag" }, 2))(db)).text;

const FIRST = "phc_first_project_0000000000000000000";

const withFirstStart = (body: (db: Db) => Promise<void>) =>
  withSqlite(async (db) => {
    await bootstrap(db, { projectApiKey: FIRST, personalApiKey: null }, 0);
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

  test("prints nothing but the value of a new key where a script reads it", () =>
    withFirstStart(async (db) => {
      const { text, note } = await keys(["create", "--label", "x", "--scopes", "*"], db);
      expect(await db.read((tx) => findPersonalApiKey(tx, text))).toMatchObject({ level: "member" });
      expect(note).toContain("not shown again");
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
    "revoke a b",
    "list x",
  ])("`%s` is refused", (line) =>
    withFirstStart(async (db) => {
      const running = runKeys(
        line.split(" ").filter((part) => part !== ""),
        db,
      );
      await expect(running).rejects.toBeInstanceOf(UsageError);
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
      expect(await runProjects(["list"], db)).toContain(FIRST);
      expect(JSON.parse(await runProjects(["list", "--json"], db))).toHaveLength(3);
      for (const argv of [[], ["create"], ["create", " "], ["make"], ["list", "x"]]) {
        await expect(runProjects(argv, db)).rejects.toBeInstanceOf(UsageError);
      }
    }));
});
