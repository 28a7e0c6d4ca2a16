import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "../../src/lake/engine/mod.ts";
import { HANG_MS, until } from "../support/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "weir-engine-"));
const options = { threads: 1, memoryLimitBytes: 128 * 1024 ** 2, tempLimitBytes: 1024 ** 3 };
afterAll(() => rmSync(folder, { recursive: true }));

const tablesOf = async (engine: Engine) => Number((await engine.run("select count(*) from duckdb_tables()"))[0]![0]);

test("an engine that nothing runs on gives up its instance, and has another one for the next statement", async () => {
  const engine = new Engine({ ...options, tempDirectory: join(folder, "short"), idleMs: 1 });
  await engine.run("create table kept as select 1");
  await until("a new instance", HANG_MS, async () => (await tablesOf(engine)) === 0);
  await engine.close();
});

test("an engine keeps its instance while a statement runs, and between statements that follow soon", async () => {
  const engine = new Engine({ ...options, tempDirectory: join(folder, "long"), idleMs: 10 * HANG_MS });
  await engine.run("create table kept as select 1");
  expect(await tablesOf(engine)).toBe(1);
  await engine.close();
  const hasty = new Engine({ ...options, tempDirectory: join(folder, "hasty"), idleMs: 1 });
  const long = "select sum(hash(range::varchar) % 10) > 0 from range(1000000)";
  const [first, second] = await Promise.all([hasty.run(long), hasty.run(long)]);
  expect([first, second]).toEqual([[[true]], [[true]]]);
  await hasty.close();
});
