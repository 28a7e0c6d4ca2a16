import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuplicateIndex, eraseProjects, LocalStore, openLake, verifyErased, verifyFiles } from "../../src/lake/mod.ts";
import { draftPath, type SegmentFile, SegmentMissing } from "../../src/lake/storage/mod.ts";
import { ElsewhereStore } from "./elsewhereStore.ts";
import { allEvents, doorConfig, row, tempFolder } from "./support.ts";
import { TestLake } from "./testLake.ts";

const folder = tempFolder();
afterAll(() => folder.dispose());

describe("a store of another kind", () => {
  test("serves flushes, compaction, queries, the duplicate check, verification and erasure", async () => {
    const elsewhere = join(folder.path, "elsewhere");
    const lake = await TestLake.open((directory) => new ElsewhereStore(directory, elsewhere));
    const { storage, catalog, runDirectory, directory } = lake;
    const count = async (teamId: number): Promise<number> => {
      const door = openLake({ config: doorConfig(), catalog, storage, runDirectory, log: () => {} });
      const sql = (relations: Parameters<typeof allEvents>[0]) => {
        return { text: `select count(*)::integer from ${allEvents(relations)}`, params: [] };
      };
      const range = { fromMs: null, toMs: null };
      try {
        const { rowsJson } = await door.query({ teamId, range, sql, deadlineMs: 20_000, maxRows: 1 });
        return JSON.parse(rowsJson)[0][0];
      } finally {
        await door.close();
      }
    };
    const verified = async () => (await verifyFiles({ catalog, storage, memoryLimitBytes: 256 << 20 })).problems;

    const rows = Array.from({ length: 40 }, (_, n) => row(n, { teamId: 1 + (n % 2) }));
    for (let from = 0; from < rows.length; from += 10) await lake.store(rows.slice(from, from + 10));
    expect([await count(1), await verified()]).toEqual([20, []]);

    const compactor = lake.compactor({ eraseMs: 0, compactTargetBytes: 10_000 });
    expect(await compactor.isAlone()).toBe(true);
    while (await compactor.step());
    await compactor.collect();
    expect([await count(1), await count(2), await verified()]).toEqual([20, 20, []]);
    expect(readdirSync(elsewhere).map((name) => name.replace(/-of-.*/, ""))).toContain("rollup");
    expect(readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);

    const index = new DuplicateIndex({ storage, maxKeys: 1_000 });
    const { added } = await catalog.segmentChanges(0);
    await index.sync(added, { generation: 1, partitions: new Set([0]) });
    expect([...(await index.check([rows[0]!, row(1_000)]))]).toEqual([1, 0]);
    await index.close();

    await lake.db.write((tx) => eraseProjects(tx, [2], Date.now()));
    while (await compactor.step());
    await compactor.collect();
    expect([await count(1), await count(2)]).toEqual([20, 0]);
    const { leftovers, filesRead } = await verifyErased({ catalog, storage, memoryLimitBytes: 256 << 20 });
    expect(leftovers).toEqual([]);
    expect(filesRead).toBeGreaterThan(0);

    for (const name of readdirSync(elsewhere)) await Bun.file(join(elsewhere, name)).delete();
    await expect(count(1)).rejects.toMatchObject({ code: "segment_missing" });
    await lake.close();
  });
});

describe("the local store", () => {
  const store = new LocalStore(folder.path);
  const file: SegmentFile = { id: "a", part: "rows" };

  test("publishes drafts whole, and none is left", async () => {
    writeFileSync(draftPath(store.workDirectory, file), "rows");
    expect(await store.has(store.locate(file))).toBe(false);
    await store.publish([file]);
    expect(Buffer.from(await store.read(store.locate(file))).toString()).toBe("rows");
    expect(await store.has(draftPath(store.workDirectory, file))).toBe(false);
  });

  test("publishes what is there when another draft is missing, and throws", async () => {
    const [there, missing]: SegmentFile[] = [
      { id: "there", part: "keys" },
      { id: "missing", part: "keys" },
    ];
    writeFileSync(draftPath(store.workDirectory, there!), "keys");
    await expect(store.publish([missing!, there!])).rejects.toThrow("ENOENT");
    expect(await store.has(store.locate(there!))).toBe(true);
  });

  test("tells what is gone", async () => {
    const location = store.locate({ id: "gone", part: "rows" });
    await expect(store.open(location)).rejects.toBeInstanceOf(SegmentMissing);
    await expect(store.read(location)).rejects.toMatchObject({ code: "segment_missing", retryable: true });
    expect(() => store.map(location)).toThrow(SegmentMissing);
    await store.remove("gone");
  });

  test("refuses ids that are no file names", () => {
    for (const id of ["", "../x", "a.b", "A", "x'"])
      expect(() => store.locate({ id, part: "rows" })).toThrow("segment id");
  });
});
