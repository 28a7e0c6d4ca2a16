import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonFile } from "../../src/lake/mod.ts";
import { LongResults } from "../../src/manage/query/longResults.ts";
import { withSqlite } from "../support/stores.ts";

const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

/** Files below a folder that this process has open. */
const openBelow = (folder: string) =>
  readdirSync("/proc/self/fd").filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
    } catch {
      return false;
    }
  });

test("rows that the store cannot give leave no file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-long-results-"));
  try {
    await withSqlite(async (db) => {
      await db.write((tx) => tx`drop table query_pieces`);
      const results = new LongResults({ db, directory: folder, maxBytes: 1000 });
      const read = results.reading({ runId: "one", sizeBytes: 10 }, 1, (file) => file.pieces());
      await expect(read.next()).rejects.toThrow("query_pieces");
    });
    expect([filesBelow(folder), openBelow(folder)]).toEqual([[], []]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("rows that cannot be written as a list leave no file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "weir-long-results-"));
  const pieces = function* () {
    yield "1, 2";
    throw new Error("the rows end");
  };
  try {
    await expect(JsonFile.write(join(folder, "rows"), pieces())).rejects.toThrow("the rows end");
    expect([filesBelow(folder), openBelow(folder)]).toEqual([[], []]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
