import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogRow } from "../../../src/types/mod.ts";
import { allEvents, row } from "../support.ts";
import { TestLake } from "../testLake.ts";
import { replay, rowsOf, type Saying } from "./model.ts";
import { expected, found, histories, idOf, TEAM } from "./support.ts";

/** A flush of log rows, of an event of each id, and how much is compacted after it. */
const schedule = fc.array(
  fc.record({ share: fc.integer({ min: 0, max: 9 }), events: fc.boolean(), steps: fc.integer({ min: 0, max: 3 }) }),
  { minLength: 1, maxLength: 6 },
);

/** With few, a log is reduced key by key. */
const partRows = fc.constantFrom(1, 50, 1_000_000);

describe("compaction of what is said of persons", () => {
  test("changes no answer, whenever it runs and however late older history arrives", async () => {
    await fc.assert(
      fc.asyncProperty(histories, schedule, partRows, async (sayings, flushes, logPartRows) => {
        const lake = await TestLake.open();
        const compactor = lake.compactor({ squashMs: 0 }, { logPartRows });
        try {
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

  test.each([
    ["at once, small files of events wait", 1_000_000, 4],
    ["in parts, small files of events are merged in between", 1, 1],
  ])("where it is done %s", async (_how, logPartRows, filesLeft) => {
    const lake = await TestLake.open();
    const compactor = lake.compactor({}, { logPartRows });
    for (let n = 0; n < 4; n++) {
      const at = { tMs: n, source: 2, ordinal: n };
      const said = ["x", "y", "z"].map((key): Saying => ({ at, id: "a", do: "set", key, value: String(n) }));
      await lake.flush([row(n)], rowsOf(said, TEAM, idOf));
    }
    expect(await compactor.step()).toBe(true);
    const { added } = await lake.catalog.segmentChanges(0);
    const counts = Object.entries(Object.groupBy(added, ({ kind }) => kind)).map(([kind, of]) => [kind, of.length]);
    expect(Object.fromEntries(counts)).toMatchObject({ log: 1, events: filesLeft });
    expect((await found(lake)).x).toEqual([[idOf("a"), "3"]]);
    compactor.stop();
    await lake.close();
  });

  test("keeps of first values what a late unset needs: each run's ends, and not more than so many", async () => {
    const once = (id: string, n: number, value: string): Saying => {
      return { at: { tMs: n, source: 2, ordinal: n }, id, do: "once", key: "x", value };
    };
    const range = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
    const sayings = [
      ...range(30).map((n) => once("same", n, n <= 20 ? "1" : "2")),
      ...range(60).map((n) => once("all", n, String(n))),
      ...range(30).map((n) => once("set", n, String(n))),
      { at: { tMs: 28, source: 3, ordinal: 0 }, id: "set", do: "set", key: "x", value: "0" } as const,
    ];
    const lake = await TestLake.open();
    const compactor = lake.compactor({ squashMs: 0 });
    const rows = rowsOf(sayings, TEAM, idOf);
    for (const half of [0, 1])
      await lake.flush(
        [],
        rows.filter((_, i) => i % 2 === half),
      );
    expect(await compactor.step()).toBe(true);
    const { logs } = await lake.catalog.readSnapshot({ teamId: TEAM, fromMs: null, toMs: null });
    // Four ends; the oldest sixteen and the newest; the set and two after it.
    expect(logs.map(({ rowCount }) => rowCount)).toEqual([4 + 17 + 3]);
    const unset = { at: { tMs: 12, source: 1, ordinal: 0 }, do: "unset", key: "x" } as const;
    const late: Saying[] = ["same", "all"].map((id) => ({ ...unset, id }));
    await lake.flush([], rowsOf(late, TEAM, idOf));
    expect((await found(lake)).x).toEqual(expected([...sayings, ...late]).x);
    compactor.stop();
    await lake.close();
  });
});
