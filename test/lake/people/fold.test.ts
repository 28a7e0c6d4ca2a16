import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogRow } from "../../../src/types/mod.ts";
import { TestLake } from "../testLake.ts";
import { rowsOf, type Saying } from "./model.ts";
import { expected, found, histories, idOf, TEAM } from "./support.ts";

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
        histories,
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
      { numRuns: 15 },
    );
  });

  test("keep the target's value through a chain of merges", async () => {
    const at = (tMs: number) => ({ tMs, source: 2, ordinal: tMs });
    const merged = (tMs: number) => ({ tMs, source: 0, ordinal: tMs });
    const chain: Saying[] = [
      { at: at(1), id: "b", do: "set", key: "x", value: '"b"' },
      { at: at(2), id: "a", do: "set", key: "x", value: '"a"' },
      { at: at(3), id: "c", do: "see", atMs: 3 },
      { at: merged(4), n: 0, id: "a", do: "merge", into: "b" },
      { at: merged(5), n: 1, id: "b", do: "merge", into: "c" },
    ];
    const lake = await TestLake.open();
    await store(lake, chain, [0]);
    expect((await found(lake)).x).toEqual([[idOf("c"), '"b"']]);
    expect(await found(lake)).toEqual(expected(chain));
    await lake.close();
  });
});
