import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { asked, askedOfFiles } from "./pathsArbitraries.ts";
import { checkPaths } from "./pathsCases.ts";
import { StoredLake } from "./storedLake.ts";
import { inFiles, inMemory, type Layout, layout } from "./trendsCases.ts";

setDefaultTimeout(CASES_MS);

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

test("random paths over random events agree with plain loops", async () => {
  const property = fc.asyncProperty(asked, (given) => checkPaths(given, (world) => inMemory(lake, world)));
  await fc.assert(property, { numRuns: runs(270) });
});

/** Journeys with fresh rows beside them, and persons who became one since. */
const stale = fc.constant<Layout>({ newest: 0.1, compacted: "older", areMergedFirst: false });

test("they agree over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  const property = fc.asyncProperty(askedOfFiles, fc.oneof(layout, stale), (given, how) =>
    checkPaths(given, (world) => inFiles(stored, ++teamId, world, how)),
  );
  await fc.assert(property, { numRuns: runs(40), endOnFailure: true });
  const { sorted: _, ...walks } = stored.walks;
  for (const [way, count] of Object.entries(walks)) expect([way, count > 0]).toEqual([way, true]);
  await stored.close();
});
