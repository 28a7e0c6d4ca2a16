import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import FAILED from "./trends.seeds.json";
import { asked } from "./trendsArbitraries.ts";
import { checkCase } from "./trendsCases.ts";

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

const property = fc.asyncProperty(asked, (given) => checkCase(given, lake, () => fc.pre(false)));

test("random queries over random events agree with plain loops", async () => {
  await fc.assert(property, { numRuns: 300 });
}, 120_000);

test("what once failed agrees now", async () => {
  for (const { seed, path } of FAILED) await fc.assert(property, { seed, path, endOnFailure: true });
}, 120_000);

test("the plain loops know nothing of the engine", () => {
  const directory = new URL("./naive/", import.meta.url);
  for (const name of readdirSync(directory)) {
    const text = readFileSync(new URL(name, directory), "utf8");
    const imports = [...text.matchAll(/import\s+(type\s)?[^;]*?from "([^"]+)"/g)];
    for (const [, isType, path] of imports) {
      if (isType === undefined) expect(path).toMatch(/^\.\/\w+\.ts$/);
      else expect(path).toMatch(/^\.\/\w+\.ts$|^\.\.\/\.\.\/support\/memoryLake\.ts$/);
    }
  }
});
