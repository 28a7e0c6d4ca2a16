import { test } from "bun:test";
import fc from "fast-check";
import { asked } from "../query/trendsArbitraries.ts";
import { checkCase, inMemory } from "../query/trendsCases.ts";
import { MemoryLake } from "../support/memoryLake.ts";

// A counterexample belongs into test/query/trends.past.json.

test("thousands of random queries over random events agree with plain loops", async () => {
  const lake = await MemoryLake.open();
  const property = fc.asyncProperty(asked, (given) =>
    checkCase(
      given,
      (world) => inMemory(lake, world),
      () => fc.pre(false),
    ),
  );
  await fc.assert(property, { numRuns: Number(process.env.RUNS ?? 5000), includeErrorInReport: true });
  await lake.close();
}, 3_600_000);
