import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Engine } from "../../src/lake/engine/duckdb.ts";
import { tempFolder } from "./support.ts";

const folder = tempFolder();
const tempDirectory = join(folder.path, "spill");
const engine = new Engine({ threads: 2, memoryLimitBytes: 256 << 20, tempDirectory, tempLimitBytes: 1 << 30 });

afterAll(async () => {
  await engine.close();
  expect(existsSync(tempDirectory)).toBe(false);
  folder.dispose();
});

describe("an engine", () => {
  test("fails where a result breaks off, instead of ending early", async () => {
    const text = "select case when i = 300000 then error('boom') else i end from range(400000) t(i)";
    await expect(engine.run(text)).rejects.toThrow("boom");
  });

  test("is made again when DuckDB has given its instance up", async () => {
    const path = join(folder.path, "x.parquet");
    const poison = `copy (select '{}'::json::variant as p) to '${path}' (format parquet, shredding {p: 'NULL'})`;
    await expect(engine.run(poison)).rejects.toThrow();
    expect(await engine.run("select 1")).toEqual([[1]]);
  });

  test("keeps the temporary tables of one use apart from others", async () => {
    const use = (n: number) =>
      engine.use(async (session) => {
        await session.run(`create temp table t as select ${n} as n`);
        return session.run("select n from t");
      });
    expect(await Promise.all([use(1), use(2), use(3)])).toEqual([[[1]], [[2]], [[3]]]);
    await expect(engine.run("select n from t")).rejects.toThrow();
  });
});
