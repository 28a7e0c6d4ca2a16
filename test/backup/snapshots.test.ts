import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { backUp, openPlace, type Place } from "../../src/backup/mod.ts";
import { row } from "../lake/support.ts";
import { TestLake } from "../lake/testLake.ts";

let lake: TestLake;
let place: string;
beforeEach(async () => {
  lake = await TestLake.open();
  place = join(dirname(lake.directory), "place");
});
afterEach(() => lake.close());

const manifestOf = (snapshot: string) => join(place, "snapshots", snapshot, "manifest.json");
const filesOf = (snapshot: string): string[] =>
  JSON.parse(readFileSync(manifestOf(snapshot), "utf8")).files.map((file: { name: string }) => file.name);

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
