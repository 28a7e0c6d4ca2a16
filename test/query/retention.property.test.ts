import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { type AskedRetention, askedRetention, askedRetentionByDay } from "./retentionArbitraries.ts";
import { checkRetention } from "./retentionCases.ts";
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

test("random retention over random events agrees with plain loops", async () => {
  const agrees = fc.asyncProperty(askedRetention, (given) =>
    checkRetention(
      given,
      (world) => inMemory(lake, world),
      () => fc.pre(false),
    ),
  );
  await fc.assert(agrees, { numRuns: runs(270) });
});

test("it agrees over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  let byDay = 0;
  const stays = async (given: AskedRetention, how: Layout, hasJourneys: boolean) => {
    stored.hasJourneys = hasJourneys;
    await checkRetention(
      given,
      (world) => inFiles(stored, ++teamId, world, how),
      () => fc.pre(false),
      () => {
        if (stored.lastSql.includes(".activity.parquet")) byDay++;
      },
    );
  };
  const any = fc.asyncProperty(fc.oneof(askedRetention, askedRetentionByDay), layout, fc.boolean(), stays);
  await fc.assert(any, { numRuns: runs(28), endOnFailure: true });
  const byDayAlone = fc.asyncProperty(askedRetentionByDay, layout, fc.boolean(), (given, how, hasJourneys) =>
    stays(given, { ...how, compacted: "all" }, hasJourneys),
  );
  await fc.assert(byDayAlone, { numRuns: runs(10), endOnFailure: true });
  const byJourneyAlone = fc.asyncProperty(askedRetentionByDay, layout, (given, how) => {
    const asked = { ...withMerged(given), areWindows: false };
    return stays(asked, { ...how, compacted: "older", areMergedFirst: false }, true);
  });
  await fc.assert(byJourneyAlone, { numRuns: runs(12), endOnFailure: true });
  expect(byDay).toBeGreaterThan(0);
  expectAllWays(stored);
  await stored.close();
});
