import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Instances } from "../../src/lake/querying/instances.ts";
import { sql, tempFolder } from "./support.ts";

const folder = tempFolder();
afterAll(() => folder.dispose());
const [a, b, c] = ["a", "b", "c"].map((name) => join(folder.path, `${name}.parquet`)) as [string, string, string];
for (const file of [a, b, c]) await sql(`copy (select 1 as x) to '${file}' (format parquet)`);

let instances: Instances;
beforeEach(() => {
  instances = new Instances({
    workDirectory: folder.path,
    threads: 1,
    memoryLimitBytes: 2e8,
    processLimitBytes: 5e8,
    spillDirectory: join(folder.path, "spill"),
    spillLimitBytes: 1e8,
  });
});

/** Runs SQL as a statement of a project. */
async function run(teamId: number, files: string[], text: string, o: { readable?: string[]; isSound?: boolean } = {}) {
  const connection = await instances.connect({ teamId, files, readable: o.readable ?? files });
  try {
    return (await connection.runAndReadAll(text)).getRowsJson();
  } finally {
    instances.release(connection, o.isSound ?? true);
  }
}

/** What an instance remembers is there as long as it stays. */
const mark = (teamId: number, files: string[], readable = files) =>
  run(teamId, files, "create table mark as select 1 as x", { readable });
const isMarked = (teamId: number, files: string[]) =>
  run(teamId, files, "select x from mark").then(
    () => true,
    () => false,
  );
const reads = (teamId: number, files: string[], file: string) =>
  run(teamId, files, `select x from read_parquet('${file}')`).then(
    () => true,
    () => false,
  );

describe("the DuckDB of a statement", () => {
  test("stays for a project that has no new files, whichever of them are read", async () => {
    await mark(1, [a], [a, b]);
    expect(await isMarked(1, [a])).toBe(true);
    expect(await isMarked(1, [b])).toBe(true);
    expect(await isMarked(1, [])).toBe(true);
    expect(await isMarked(1, [a, c])).toBe(false);
  });

  test("is another one for another project, even for the same files", async () => {
    await mark(1, [a]);
    expect(await isMarked(2, [a])).toBe(false);
    expect(await isMarked(1, [a])).toBe(false);
  });

  test("reads the project's files and nothing else, whatever the one before could read", async () => {
    expect(await reads(1, [a], a)).toBe(true);
    expect(await reads(1, [a], b)).toBe(false);
    expect(await reads(2, [b], a)).toBe(false);
    expect(await reads(2, [b], b)).toBe(true);
    expect(await reads(1, [a, c], c)).toBe(true);
    expect(await reads(1, [a, c], b)).toBe(false);
    expect(await reads(1, [a, c], "/etc/passwd")).toBe(false);
  });

  test("cannot be opened again by what runs in it", async () => {
    for (const text of [`set allowed_paths = ['${b}']`, "set enable_external_access = true", "reset allowed_paths"]) {
      await expect(run(1, [a], text)).rejects.toThrow();
    }
    expect(await reads(1, [a], b)).toBe(false);
  });

  test("goes with a statement that failed, and with what temporary tables held", async () => {
    await mark(1, [a]);
    await run(1, [a], "create temp table result as select 1 as x");
    await expect(run(1, [a], "select * from result")).rejects.toThrow();
    expect(await isMarked(1, [a])).toBe(true);
    await run(1, [a], "select 1", { isSound: false });
    expect(await isMarked(1, [a])).toBe(false);
  });
});
