import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../src/schema.ts";
import { freePort } from "../support/processes.ts";
import { weirOn } from "./weirProcess.ts";

test("data of a newer Weir is refused by a sentence that says what to do, and left as it is", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "weir-newer-"));
  try {
    const sqlitePath = join(dataDir, "weir.db");
    await (await openDb({ databaseUrl: null, sqlitePath })).close();
    using db = new Database(sqlitePath);
    db.run("insert into schema_migrations (name, applied_at_ms) values ('999_to_come', 0)");
    const before = db.query("select count(*) as n from sqlite_schema").get();
    const port = { WEIR_PORT: String(await freePort()) };
    for (const command of ["start", "projects list"]) {
      const { code, error } = await weirOn(dataDir, command.split(" "), port);
      expect({ command, code }).toEqual({ command, code: 1 });
      expect(error.trim().split("\n").at(-1)).toBe(
        "weir: The data was written by a newer Weir (999_to_come). Start that version or a newer one, or restore a backup of the time before.",
      );
    }
    expect(db.query("select count(*) as n from sqlite_schema").get()).toEqual(before);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test("the version is that of the package, and names the commit of a clone", async () => {
  const { out, code } = await weirOn(tmpdir(), ["--version"]);
  expect(code).toBe(0);
  const { version } = (await import("../../package.json")) as { version: string };
  expect(out.trim()).toMatch(new RegExp(`^weir ${version.replaceAll(".", "\\.")}( \\([0-9a-f]{7,}\\))?$`));
});
