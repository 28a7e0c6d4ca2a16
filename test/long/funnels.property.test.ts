import { afterAll, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { askedFunnel } from "../query/funnelsArbitraries.ts";
import { checkFunnelCase } from "../query/funnelsCases.ts";
import { inMemory } from "../query/trendsCases.ts";
import { MemoryLake } from "../support/memoryLake.ts";

const lake = await MemoryLake.open();
afterAll(async () => {
  closeParser();
  await lake.close();
});

test("thousands of random funnels agree with plain loops", async () => {
  const agrees = fc.asyncProperty(askedFunnel, (given) =>
    checkFunnelCase(
      given,
      (world) => inMemory(lake, world),
      () => fc.pre(false),
    ),
  );
  await fc.assert(agrees, { numRuns: Number(process.env.RUNS ?? 5_000), includeErrorInReport: true });
}, 3_600_000);
