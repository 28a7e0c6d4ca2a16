import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import PAST from "./funnels.past.json";
import { type AskedFunnel, askedFunnel } from "./funnelsArbitraries.ts";
import { checkFunnelCase } from "./funnelsCases.ts";
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

// What fails goes into funnels.past.json, with what was wrong.
test("random funnels over random events agree with plain loops", async () => {
  const agrees = fc.asyncProperty(askedFunnel, (given) =>
    checkFunnelCase(
      given,
      (world) => inMemory(lake, world),
      () => fc.pre(false),
    ),
  );
  await fc.assert(agrees, { numRuns: runs(270) });
});

test("they agree over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  const agrees = fc.asyncProperty(askedFunnel, layout, async (given: AskedFunnel, how) => {
    await checkFunnelCase(
      given,
      (world) => inFiles(stored, ++teamId, world, how),
      () => fc.pre(false),
    );
  });
  await fc.assert(agrees, { numRuns: runs(30), endOnFailure: true });
  for (const [way, walks] of Object.entries(stored.walks)) expect([way, walks > 0]).toEqual([way, true]);
  await stored.close();
});

test.each(PAST)("what once failed: $what", async ({ given }) => {
  await checkFunnelCase(
    given as unknown as AskedFunnel,
    (world) => inMemory(lake, world),
    () => {
      throw new Error("this has no right answer");
    },
  );
});
