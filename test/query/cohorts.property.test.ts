import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { asked } from "./cohortArbitraries.ts";
import { checkCase } from "./cohortCases.ts";
import { StoredLake } from "./storedLake.ts";
import { inFiles, inMemory, layout } from "./trendsCases.ts";

setDefaultTimeout(CASES_MS);

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

test("random cohorts over random events agree with plain loops", async () => {
  const property = fc.asyncProperty(asked, (given) => checkCase(given, (world) => inMemory(lake, world)));
  await fc.assert(property, { numRuns: runs(270) });
});

test("they agree over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  let byDay = 0;
  const property = fc.asyncProperty(asked, layout, async (given, how) => {
    await checkCase(given, (world) => inFiles(stored, ++teamId, world, how));
    if (stored.lastSql.includes(".activity.parquet")) byDay++;
  });
  await fc.assert(property, { numRuns: runs(30), endOnFailure: true });
  expect(byDay).toBeGreaterThan(0);
  await stored.close();
});
