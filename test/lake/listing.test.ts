import { afterEach, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import type { Relations } from "../../src/lake/mod.ts";
import { NOON, row, textConstant } from "./support.ts";
import { TestLake } from "./testLake.ts";

const TEAM = 1;
let lake: TestLake;
let stored: { teamId: number; ordinal: number; timestampMs: number; event: string }[] = [];

beforeEach(async () => {
  lake = await TestLake.open();
  stored = [];
});

afterEach(() => lake.close());

/** Asked in two steps, as `EventsRequest.times` says. */
function listing(r: Relations, limit: number): string {
  const events = (o: { properties: boolean; times?: string }) =>
    r.events({ persons: true, keys: [], ...o }, textConstant);
  const rows = `where event = 'seen' order by "timestamp" desc, ordinal limit ${limit}`;
  return `with times as materialized (select "timestamp" from ${events({ properties: false })} ${rows})
    select ordinal, properties from ${events({ properties: true, times: `select "timestamp" from times` })} ${rows}`;
}

test("a listing in two steps has the rows of one in one step, equal times and other projects' rows or not", async () => {
  const event = fc.record({
    teamId: fc.constantFrom(TEAM, TEAM, 2),
    event: fc.constantFrom("seen", "seen", "left"),
    timestampMs: fc.integer({ min: 0, max: 9 }).map((n) => NOON + n),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), fc.nat({ max: 12 }), async (list, limit) => {
      const rows = list.map((changes, i) => row(stored.length + i, changes));
      stored.push(...rows);
      await lake.store(rows);
      const expected = stored
        .filter(({ teamId, event }) => teamId === TEAM && event === "seen")
        .toSorted((a, b) => b.timestampMs - a.timestampMs || a.ordinal - b.ordinal)
        .slice(0, limit);
      const found = await lake.ask(TEAM, (r) => listing(r, limit));
      expect(found).toEqual(expected.map(({ ordinal }) => [String(ordinal), `{"n":${ordinal}}`]));
    }),
    { numRuns: 20 },
  );
});
