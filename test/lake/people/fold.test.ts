import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogRow } from "../../../src/types/mod.ts";
import { TestLake } from "../testLake.ts";
import { rowsOf, type Saying } from "./model.ts";
import { expected, found, history, idOf, TEAM } from "./support.ts";

/** Deals rows out to flushes. */
function deal(rows: readonly LogRow[], flushes: readonly number[]): LogRow[][] {
  const dealt = Map.groupBy(rows, (_, i) => flushes[i % flushes.length]!);
  return [...dealt].sort((a, b) => a[0] - b[0]).map(([, rows]) => rows);
}

async function store(lake: TestLake, sayings: readonly Saying[], flushes: readonly number[]): Promise<void> {
  for (const rows of deal(rowsOf(sayings, TEAM, idOf), flushes)) await lake.flush([], rows);
}

describe("persons", () => {
  test("are what a replay in the order of versions gives, however rows are dealt out to files", async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 5 }),
        async (sayings, flushes) => {
          const lake = await TestLake.open();
          try {
            await store(lake, sayings, flushes);
            expect(await found(lake)).toEqual(expected(sayings));
          } finally {
            await lake.close();
          }
        },
      ),
      { numRuns: 40 },
    );
  }, 300_000);
});
