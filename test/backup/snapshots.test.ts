import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { backUp, openPlace, type Place } from "../../src/backup/mod.ts";
import { openDb } from "../../src/schema.ts";
import { type Ended, weirOn } from "../commands/weirProcess.ts";
import { row } from "../lake/support.ts";
import { TestLake } from "../lake/testLake.ts";

let lake: TestLake;
let place: string;
beforeEach(async () => {
  lake = await TestLake.open();
  place = `${dirname(lake.directory)}-place`;
});
afterEach(async () => {
  await lake.close();
  rmSync(place, { recursive: true, force: true });
});

/** `weir` on the data folder of the lake. */
const weir = (...argv: string[]): Promise<Ended> => weirOn(dirname(lake.directory), argv);
const manifestOf = (snapshot: string) => join(place, "snapshots", snapshot, "manifest.json");
const filesOf = (snapshot: string): string[] =>
  JSON.parse(readFileSync(manifestOf(snapshot), "utf8")).files.map((file: { name: string }) => file.name);

async function takeSnapshot(...more: string[]) {
  const { code, out, error } = await weir("backup", place, "--json", ...more);
  expect([code, error]).toEqual([0, expect.any(String)]);
  const report: { snapshot: string; copiedFiles: number; removed: string[]; unreadable: string[] } = JSON.parse(out);
  return { ...report, error };
}

test("a snapshot that cannot be read blocks neither backups nor restores, and no file goes while it stays", async () => {
  await lake.store([row(1)]);
  const bad = await takeSnapshot();
  await lake.store([row(2)]);
  const old = await takeSnapshot();
  truncateSync(manifestOf(bad.snapshot), 100);

  // What the newest manifest has needs no look at older ones.
  expect(await takeSnapshot()).toMatchObject({ copiedFiles: 0, unreadable: [] });
  const three = await takeSnapshot("--keep", "4");
  expect(three).toMatchObject({ removed: [], unreadable: [bad.snapshot] });
  expect(three.error).toContain(bad.snapshot);
  expect(readdirSync(join(place, "files")).sort()).toEqual(filesOf(three.snapshot));

  const { out } = await weir("backup", "list", place, "--json");
  const listed: { snapshot: string; files: number | null }[] = JSON.parse(out);
  expect(listed.map(({ files }) => files)).toEqual([null, 4, 4, 4]);
  expect((await weir("backup", "list", place)).out).toContain("cannot be read");

  const data = join(dirname(lake.directory), "restored");
  const refused = await weirOn(data, ["restore", place, "--snapshot", bad.snapshot]);
  expect([refused.code, refused.error]).toEqual([
    1,
    expect.stringContaining(`snapshot ${bad.snapshot} cannot be read`),
  ]);
  expect(existsSync(data)).toBe(false);
  expect((await weirOn(data, ["restore", place, "--json"])).out).toContain(three.snapshot);
  expect((await weirOn(data, ["lake", "verify"])).out).toContain(" 0 problems");

  // It goes when it is not to stay any more.
  const last = await takeSnapshot("--keep", "2");
  expect(last).toMatchObject({ removed: [bad.snapshot, old.snapshot, expect.any(String)], unreadable: [] });
});

test("of two backups at once the second is refused, and the first has all its files", async () => {
  const { db, catalog, storage } = lake;
  const signal = new AbortController().signal;
  const begin = (on: Place, keep: number | null) =>
    backUp({ db, catalog, storage, place: on, secrets: {}, keep, version: "1", nowMs: Date.now(), signal });
  const folder = openPlace(place, { env: {} });
  await lake.store([row(1)]);
  await lake.store([row(2)]);
  await begin(folder, null);

  // One that has copied all that the place lacks, and stands before its manifest.
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const slow: Place = Object.assign(Object.create(folder), {
    putText: async (name: string, text: string) => {
      reached.resolve();
      await gate.promise;
      await folder.putText(name, text);
    },
  });
  const first = begin(slow, null);
  await reached.promise;

  // Its files are merged meanwhile: the next snapshot needs none of them.
  const compactor = lake.compactor();
  while (await compactor.step());
  const second = begin(folder, 1);
  await expect(second).rejects.toMatchObject({ code: "backup_busy", retryable: true });
  gate.resolve();
  const files = filesOf((await first).snapshot);
  expect(readdirSync(join(place, "files"))).toEqual(expect.arrayContaining(files));

  const third = await begin(folder, 1);
  expect(readdirSync(join(place, "files")).sort()).toEqual(filesOf(third.snapshot));
  expect(files.filter((name) => filesOf(third.snapshot).includes(name))).toEqual([]);
});

test("a place is of one Weir, and of those that are restored from it", async () => {
  await lake.store([row(1)]);
  const { snapshot } = await takeSnapshot();
  const restored = join(dirname(lake.directory), "restored");
  expect((await weirOn(restored, ["restore", place])).code).toBe(0);
  expect((await weirOn(restored, ["backup", place, "--json"])).code).toBe(0);

  const other = join(dirname(lake.directory), "other");
  mkdirSync(other);
  await (await openDb({ databaseUrl: null, sqlitePath: join(other, "weir.db") })).close();
  const before = readdirSync(join(place, "snapshots"));
  const refused = await weirOn(other, ["backup", place, "--keep", "1"]);
  expect([refused.code, refused.error]).toEqual([1, expect.stringContaining("is of another Weir")]);
  expect(readdirSync(join(place, "snapshots"))).toEqual(before);

  // Snapshots of before do not tell.
  for (const name of readdirSync(join(place, "snapshots"))) {
    const { weirId, ...manifest } = JSON.parse(readFileSync(manifestOf(name), "utf8"));
    expect(weirId).toMatch(/^[0-9a-f]{32}$/);
    writeFileSync(manifestOf(name), JSON.stringify(manifest));
  }
  expect((await takeSnapshot()).snapshot > snapshot).toBe(true);
});
