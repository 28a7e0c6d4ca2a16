import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { loadConfig } from "../../src/config.ts";
import { openRecords } from "../../src/roles/paths.ts";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { freePort } from "../support/processes.ts";
import { weirOn } from "./weirProcess.ts";

/** Everything but `start`: it looks at a Weir or works on one. */
const COMMANDS = [
  ["lake"],
  ["lake", "verify"],
  ["lake", "verify", "--erased"],
  ["lake", "pin", "1", "plan"],
  ["status"],
  ["dead-letters", "list"],
  ["dead-letters", "redrive", "1"],
  ["explain", "1", "-"],
  ["keys", "list"],
  ["keys", "create", "--label", "me", "--scopes", "*"],
  ["login-link"],
  ["projects", "list"],
  ["projects", "create", "Shop"],
  ["demo"],
  ["front"],
  ["api"],
  ["worker"],
  ["compactor"],
  ["exporter"],
  ["query"],
];

let folder: string;
let postgres: PostgresServer | null = null;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "weir-none-"));
  if (findPostgres() !== null) postgres = await startPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await postgres?.stop();
});

test.each(COMMANDS.map((argv) => [argv]))("%j names a folder without a Weir, and makes nothing", async (argv) => {
  const wrong = join(folder, "wrong");
  // Another program's folder is not one either.
  const other = join(folder, "other");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "notes.txt"), "mine");
  const found = await Promise.all([wrong, other].map((path) => weirOn(path, argv)));
  for (const [i, path] of [wrong, other].entries()) {
    expect(found[i]).toMatchObject({ out: "", code: 1 });
    expect(found[i]!.error).toContain(`There is no Weir in ${path} (WEIR_DATA_DIR)`);
  }
  expect(readdirSync(other)).toEqual(["notes.txt"]);
  expect(existsSync(wrong)).toBe(false);
});

test.skipIf(findPostgres() === null)("with DATABASE_URL alike: neither the folder nor tables are made", async () => {
  const url = await postgres!.createDatabase();
  const tables = async () => {
    await using sql = new SQL(url, { max: 1 });
    return (await sql`select 1 from information_schema.tables where table_schema = current_schema()`).length;
  };
  const wrong = join(folder, "wrong");
  const empty = join(folder, "empty");
  mkdirSync(join(empty, "lake"), { recursive: true });
  const nothing = { DATABASE_URL: url, NATS_URL: "nats://127.0.0.1:1" };
  for (const argv of [["keys", "list"], ["lake"], ["worker"], ["demo"]]) {
    const missing = await weirOn(wrong, argv, nothing);
    expect({ out: missing.out, code: missing.code }).toEqual({ out: "", code: 1 });
    expect(missing.error).toContain(`There is no Weir in ${wrong}`);
    const bare = await weirOn(empty, argv, nothing);
    expect({ out: bare.out, code: bare.code }).toEqual({ out: "", code: 1 });
    expect(bare.error).toContain("There is no Weir in the database of DATABASE_URL");
    expect(bare.error).not.toContain(url);
  }
  expect(existsSync(wrong)).toBe(false);
  expect(await tables()).toBe(0);
  const right = join(folder, "right");
  await (await openRecords(loadConfig({ WEIR_DATA_DIR: right, DATABASE_URL: url }))).close();
  expect(await weirOn(right, ["lake"], nothing)).toMatchObject({ out: "The lake is empty.\n", code: 0 });
  // Records and files are elsewhere: the folder is missing, and there is a Weir.
  const elsewhere = { ...nothing, WEIR_STORE_URL: folder };
  expect(await weirOn(wrong, ["projects", "list"], elsewhere)).toMatchObject({ code: 0 });
  const status = await weirOn(wrong, ["status"], elsewhere);
  expect({ out: status.out, code: status.code }).toEqual({ out: "", code: 1 });
  expect(status.error).toMatch(/^weir: The data folder .*wrong \(WEIR_DATA_DIR\) does not exist\. [^\n]+\n$/);
});

test("what is no folder and no store is a sentence", async () => {
  const file = join(folder, "a file");
  writeFileSync(file, "mine");
  const start = await weirOn(join(file, "data"), ["start"]);
  expect(start.code).toBe(1);
  expect(start.error).toMatch(/^weir: The data folder .*a file\/data \(WEIR_DATA_DIR\) cannot be used: [^\n]+\n$/);
  const other = join(folder, "other store");
  mkdirSync(join(other, "lake"), { recursive: true });
  writeFileSync(
    join(other, "weir.db"),
    "notes that are much longer than the head of a database is long, and no database",
  );
  const keys = await weirOn(other, ["keys", "list"]);
  expect(keys).toMatchObject({ out: "", code: 1 });
  expect(keys.error).toMatch(/^weir: .*weir\.db cannot be opened: [^\n]+\n$/);
  const unreachable = { DATABASE_URL: `postgres://me:secret@127.0.0.1:${await freePort()}/weir` };
  const away = await weirOn(other, ["keys", "list"], unreachable);
  expect(away).toMatchObject({ out: "", code: 1 });
  expect(away.error).toMatch(/^weir: the database of DATABASE_URL cannot be opened: [^\n]+\n$/);
  expect(away.error).not.toContain("secret");
});

test("a folder with a Weir that does not run is looked at; what needs it running says so", async () => {
  const idle = join(folder, "idle");
  await (await openRecords(loadConfig({ WEIR_DATA_DIR: idle }))).close();
  const before = readdirSync(idle, { recursive: true }).sort();
  expect(await weirOn(idle, ["lake"])).toMatchObject({ out: "The lake is empty.\n", code: 0 });
  for (const argv of [["status"], ["demo"], ["worker"], ["front"]]) {
    const { out, error, code } = await weirOn(idle, argv);
    expect({ out, code }).toEqual({ out: "", code: 1 });
    expect(error).toContain(`No Weir is running on ${idle} (WEIR_DATA_DIR): run \`weir start\` first`);
  }
  expect(readdirSync(idle, { recursive: true }).sort()).toEqual(before);
});
