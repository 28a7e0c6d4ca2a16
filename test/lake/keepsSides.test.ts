import { afterAll, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoppableEngine } from "../../src/lake/engine/mod.ts";

const tempDirectory = mkdtempSync(join(tmpdir(), "weir-sides-"));
const limits = { memoryLimitBytes: 64 * 1024 * 1024, tempLimitBytes: 1024 * 1024 };
const engine = new StoppableEngine({ threads: 1, tempDirectory, ...limits });
afterAll(() => engine.close());

const SETTING = "select current_setting('disabled_optimizers')";

test("sides are kept for one statement, whether it fails or not", async () => {
  expect(await engine.run(SETTING, { keepsSides: true })).toEqual([["build_side_probe_side"]]);
  expect(await engine.run(SETTING)).toEqual([[""]]);
  await expect(engine.run("select nothing", { keepsSides: true })).rejects.toThrow("nothing");
  expect(await engine.run(SETTING)).toEqual([[""]]);
});
