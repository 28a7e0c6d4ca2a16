import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogRow } from "../../../src/types/mod.ts";
import { allEvents, row } from "../support.ts";
import { TestLake } from "../testLake.ts";
import { replay, rowsOf } from "./model.ts";
import { expected, found, histories, idOf, TEAM } from "./support.ts";

/** A flush of log rows, of an event of each id, and how much is compacted after it. */
const schedule = fc.array(
  fc.record({ share: fc.integer({ min: 0, max: 9 }), events: fc.boolean(), steps: fc.integer({ min: 0, max: 3 }) }),
  { minLength: 1, maxLength: 6 },
);

describe("compaction of what is said of persons", () => {
  test("changes no answer, whenever it runs and however late older history arrives", async () => {
    await fc.assert(
      fc.asyncProperty(histories, schedule, async (sayings, flushes) => {
        const lake = await TestLake.open();
        const compactor = lake.compactor({ squashMs: 0 });
        try {
          expect(await compactor.isAlone()).toBe(true);
          const rows = rowsOf(sayings, TEAM, idOf);
          const ids = [...new Set(sayings.map(({ id }) => id))];
          let events = 0;
          for (const [i, { share, events: hasEvents, steps }] of flushes.entries()) {
            // The first flushes need not have the oldest rows.
            const isLast = i === flushes.length - 1;
            const log: LogRow[] = isLast ? rows.splice(0) : rows.splice(rows.length >> 1, share * 40);
            const made = hasEvents ? ids.map((id) => row(events++, { distinctId: id, personId: idOf(id) })) : [];
            if (made.length + log.length > 0) await lake.flush(made, log);
            for (let n = 0; n < steps; n++) await compactor.step();
          }
          const check = async () => {
            expect(await found(lake)).toEqual(expected(sayings));
            const rootOf = new Map(replay(sayings).flatMap(({ root, ids }) => ids.map((id) => [id, idOf(root)])));
            const stored = await lake.ask(TEAM, (r) => `select distinct_id, person_id from ${allEvents(r)}`);
            expect(stored.length).toBe(events);
            for (const [id, personId] of stored) expect(personId).toBe(rootOf.get(String(id)) ?? idOf(String(id)));
          };
          await check();
          while (await compactor.step());
          await check();
          await compactor.collect();
          await check();
        } finally {
          compactor.stop();
          await lake.close();
        }
      }),
      { numRuns: 12 },
    );
  });
});
