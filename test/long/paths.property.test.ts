import { test } from "bun:test";
import fc from "fast-check";
import { asked } from "../query/pathsArbitraries.ts";
import { checkPaths } from "../query/pathsCases.ts";
import { inMemory } from "../query/trendsCases.ts";
import { MemoryLake } from "../support/memoryLake.ts";

test("thousands of random paths over random events agree with plain loops", async () => {
  const lake = await MemoryLake.open();
  const property = fc.asyncProperty(asked, (given) => checkPaths(given, (world) => inMemory(lake, world)));
  await fc.assert(property, { numRuns: Number(process.env.RUNS ?? 5000), includeErrorInReport: true });
  await lake.close();
}, 3_600_000);
