import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { asked } from "./pathsArbitraries.ts";
import { checkPaths } from "./pathsCases.ts";
import { StoredLake } from "./storedLake.ts";
import { inFiles, inMemory, layout } from "./trendsCases.ts";

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
  await fc.assert(property, { numRuns: 300 });
}, 120_000);

test("they agree over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  // The files have an event of long ago that the loops do not know of.
  const recent = asked.map((given) => (given.range.date_from === "all" ? { ...given, range: {} } : given));
  const property = fc.asyncProperty(recent, layout, (given, how) =>
    checkPaths(given, (world) => inFiles(stored, ++teamId, world, how)),
  );
  await fc.assert(property, { numRuns: 20, endOnFailure: true });
  const { sorted: _, ...walks } = stored.walks;
  console.error(walks);
  for (const [way, count] of Object.entries(walks)) expect([way, count > 0]).toEqual([way, true]);
  await stored.close();
}, 120_000);
