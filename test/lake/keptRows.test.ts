import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Erasure } from "../../src/lake/catalog/mod.ts";
import { Engine, sqlString } from "../../src/lake/engine/mod.ts";
import { keptInOneScan, keptRows } from "../../src/lake/reading/mod.ts";
import { tempFolder, uuidOf } from "./support.ts";

const MiB = 1024 * 1024;
const PERSONS = 100;

interface File {
  id: string;
  erasedThrough: number;
  columns: number;
}

let folder: ReturnType<typeof tempFolder>;
let engine: Engine;
beforeAll(() => {
  folder = tempFolder();
  const tempDirectory = join(folder.path, "spill");
  engine = new Engine({ threads: 1, memoryLimitBytes: 160 * MiB, tempDirectory, tempLimitBytes: 4096 * MiB });
});
afterAll(() => engine.close());

const pathOf = ({ id }: { id: string }) => join(folder.path, `${id}.parquet`);
const read = (files: readonly File[]) => `read_parquet([${files.map((file) => sqlString(pathOf(file))).join(", ")}])`;

/** A file of rows in random order, of so many persons, one after the other. */
async function write(file: File, rows: number): Promise<void> {
  const person = `('00000000-0000-4000-8000-' || printf('%012x', (range % ${PERSONS})::bigint))::uuid`;
  await engine.run(
    `copy (select range as n, hash(range) as key, ${person} as person_id, repeat(md5(range::varchar), 24) as text from range(${rows}))
     to ${sqlString(pathOf(file))} (format parquet, row_group_size 4096)`,
  );
}

const gone = (version: number, person: number): Erasure => {
  return { version, teamId: 1, kind: "person", personIds: [uuidOf(person)], withEvents: true };
};

describe("rows that are not deleted, in one scan", () => {
  const files: File[] = [
    { id: "before", erasedThrough: 1, columns: 0 },
    { id: "between", erasedThrough: 5, columns: 0 },
    { id: "after", erasedThrough: 9, columns: 0 },
  ];
  const erasures = [gone(4, 1), gone(8, 2)];
  const source = { kind: "events", files, erasures, read } as const;
  beforeAll(async () => {
    for (const [i, file] of files.entries()) await write(file, i === 2 ? 300_000 : 10_000);
  });

  test("are those of each file by its own deletions", async () => {
    const [one, union] = [keptInOneScan(source, pathOf), keptRows(source)];
    const counted = async (rows: string) => engine.run(`select count(*)::int, sum(n)::bigint from ${rows}`);
    // Both persons' rows are gone from the first file, the second one's from the next.
    expect((await counted(one))[0]![0]).toBe(320_000 - (3 * 10_000) / PERSONS);
    expect(await counted(one)).toEqual(await counted(union));
  });

  test("are sorted though they do not fit into memory", async () => {
    const sorted = (rows: string) =>
      engine.run(`copy (select * from ${rows} order by key) to ${sqlString(join(folder.path, "sorted.parquet"))}
        (format parquet, row_group_size 4096)`);
    await sorted(keptInOneScan(source, pathOf));
    // If this ends, a union would do as well.
    await expect(sorted(keptRows(source))).rejects.toThrow("Out of Memory");
  });
});
