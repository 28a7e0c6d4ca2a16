import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { loadConfig } from "../../src/config.ts";
import { openRecords } from "../../src/runtime/paths.ts";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
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
  ["projects", "list"],
  ["projects", "create", "Shop"],
  ["demo"],
  ["front"],
  ["api"],
  ["worker"],
  ["compactor"],
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
  const found = await weirOn(wrong, argv);
  expect({ out: found.out, code: found.code }).toEqual({ out: "", code: 1 });
  expect(found.error).toContain(`There is no Weir in ${wrong} (WEIR_DATA_DIR)`);
  // Another program's folder is not one either.
  const other = join(folder, "other");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "notes.txt"), "mine");
  expect((await weirOn(other, argv)).error).toContain(`There is no Weir in ${other}`);
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
