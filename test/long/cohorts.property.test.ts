import { test } from "bun:test";
import fc from "fast-check";
import { asked } from "../query/cohortArbitraries.ts";
import { checkCase } from "../query/cohortCases.ts";
import { StoredLake } from "../query/storedLake.ts";
import { inFiles, inMemory, layout } from "../query/trendsCases.ts";
import { MemoryLake } from "../support/memoryLake.ts";

const numRuns = Number(process.env.RUNS ?? 3000);

test("thousands of random cohorts over random events agree with plain loops", async () => {
  const lake = await MemoryLake.open();
  const property = fc.asyncProperty(asked, (given) => checkCase(given, (world) => inMemory(lake, world)));
  await fc.assert(property, { numRuns, includeErrorInReport: true });
  await lake.close();
}, 3_600_000);

test("hundreds of them over the files of a lake", async () => {
  const lake = await StoredLake.open();
  let teamId = 0;
  const property = fc.asyncProperty(asked, layout, (given, how) =>
    checkCase(given, (world) => inFiles(lake, ++teamId, world, how)),
  );
  await fc.assert(property, { numRuns: Math.ceil(numRuns / 10), endOnFailure: true, includeErrorInReport: true });
  await lake.close();
}, 3_600_000);
