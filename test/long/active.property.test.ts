import { test } from "bun:test";
import fc from "fast-check";
import { activeAsked, checkLifecycle, checkStickiness, hasAnswer } from "../query/activeCases.ts";
import { inMemory } from "../query/trendsCases.ts";
import { MemoryLake } from "../support/memoryLake.ts";

const KINDS = { lifecycles: checkLifecycle, stickiness: checkStickiness };

test.each(Object.keys(KINDS) as (keyof typeof KINDS)[])(
  "thousands of random queries for %s agree with plain loops",
  async (kind) => {
    const lake = await MemoryLake.open();
    const property = fc.asyncProperty(activeAsked.filter(hasAnswer), (given) =>
      KINDS[kind](given, (world) => inMemory(lake, world)),
    );
    await fc.assert(property, { numRuns: Number(process.env.RUNS ?? 3000), includeErrorInReport: true });
    await lake.close();
  },
  3_600_000,
);
