import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { StoredLake } from "./storedLake.ts";
import PAST from "./trends.past.json";
import { type Asked, asked, askedByDay } from "./trendsArbitraries.ts";
import { checkCase, inFiles, inMemory, type Layout, layout } from "./trendsCases.ts";

setDefaultTimeout(CASES_MS);

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

const property = fc.asyncProperty(asked, (given) =>
  checkCase(
    given,
    (world) => inMemory(lake, world),
    () => fc.pre(false),
  ),
);

// What fails goes into trends.past.json, with what was wrong.
test("random queries over random events agree with plain loops", async () => {
  await fc.assert(property, { numRuns: runs(270) });
});

test("they agree over the files of a lake, too", async () => {
  const stored = await StoredLake.open();
  let teamId = 0;
  let byDay = 0;
  const stays = async (given: Asked, how: Layout) => {
    await checkCase(
      given,
      (world) => inFiles(stored, ++teamId, world, how),
      () => fc.pre(false),
    );
    if (stored.lastSql.includes(".activity.parquet")) byDay++;
  };
  const any = fc.asyncProperty(fc.oneof(asked, askedByDay), layout, stays);
  await fc.assert(any, { numRuns: runs(28), endOnFailure: true });
  // Three of four of these read activity.
  const byDayAlone = fc.asyncProperty(askedByDay, layout, (given, how) => stays(given, { ...how, compacted: "all" }));
  await fc.assert(byDayAlone, { numRuns: runs(12), endOnFailure: true });
  expect(byDay).toBeGreaterThan(0);
  await stored.close();
});

test.each(PAST)("what once failed: $what", async ({ given }) => {
  await checkCase(
    given as Asked,
    (world) => inMemory(lake, world),
    () => {
      throw new Error("this has no right answer");
    },
  );
});

test("the plain loops know nothing of the engine", () => {
  const directory = new URL("./naive/", import.meta.url);
  for (const name of readdirSync(directory)) {
    const text = readFileSync(new URL(name, directory), "utf8");
    const imports = [...text.matchAll(/import\s+(type\s)?[^;]*?from "([^"]+)"/g)];
    for (const [, isType, path] of imports) {
      if (isType === undefined) expect(path).toMatch(/^\.\/\w+\.ts$/);
      else expect(path).toMatch(/^\.\/\w+\.ts$|^\.\.\/\.\.\/support\/memoryLake\.ts$/);
    }
  }
});
