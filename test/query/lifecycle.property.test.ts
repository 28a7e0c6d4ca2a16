import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { type ActiveAsked, activeAsked, checkLifecycle, hasAnswer } from "./activeCases.ts";
import { expectAllWays, StoredLake } from "./storedLake.ts";
import { inFiles, inMemory, type Layout, layout, withMerged } from "./trendsCases.ts";

setDefaultTimeout(CASES_MS);

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

test("random queries over random events agree with plain loops, and so do the actors behind numbers", async () => {
  const property = fc.asyncProperty(activeAsked.filter(hasAnswer), (given) =>
    checkLifecycle(given, (world) => inMemory(lake, world)),
  );
  await fc.assert(property, { numRuns: runs(270) });
});

test("they agree over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  let byDay = 0;
  const plain = ({ given, more }: ActiveAsked): ActiveAsked => ({ given, more: { ...more, isPlain: true } });
  const given = fc.oneof(activeAsked, activeAsked.map(plain)).filter(hasAnswer);
  const agrees = async (asked: ActiveAsked, how: Layout, hasJourneys: boolean) => {
    stored.sqls.length = 0;
    stored.hasJourneys = hasJourneys;
    await checkLifecycle(asked, (world) => inFiles(stored, ++teamId, world, how));
    if (stored.sqls.some((sql) => sql.includes(".activity.parquet"))) byDay++;
  };
  const any = fc.asyncProperty(given, layout, fc.boolean(), agrees);
  await fc.assert(any, { numRuns: runs(30), endOnFailure: true });
  const plainAlone = activeAsked.map(plain).filter(hasAnswer);
  const byJourneyAlone = fc.asyncProperty(plainAlone, layout, (asked, how) =>
    agrees({ ...asked, given: withMerged(asked.given) }, { ...how, compacted: "older", areMergedFirst: false }, true),
  );
  await fc.assert(byJourneyAlone, { numRuns: runs(12), endOnFailure: true });
  expect(byDay).toBeGreaterThan(0);
  expectAllWays(stored);
  await stored.close();
});
