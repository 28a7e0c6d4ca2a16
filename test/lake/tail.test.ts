import { afterEach, beforeEach, expect, test } from "bun:test";
import { row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const WAIT_MS = 12 * 3_600_000;
/** Of the wait for other work of that kind. */
const TAIL_WAIT_MS = WAIT_MS / 12;
/** From so many rows on a flush is large. */
const LARGE_ROWS = 10_000;

let lake: TestLake;
beforeEach(async () => {
  lake = await TestLake.open();
});
afterEach(() => lake.close());

let made = 0;
const flush = (rows: number) => lake.store(Array.from({ length: rows }, () => row(made++, { personId: person() })));
const person = () => `00000000-0000-4000-8000-${String(made % 500).padStart(12, "0")}`;
/** As if all that is stored were so much older. */
const age = (ms: number) =>
  lake.db.write((tx) => tx`update segments set registered_at_ms = registered_at_ms - ${ms} where kind = 'events'`);
const files = async () => (await lake.catalog.segmentChanges(0)).added.filter(({ kind }) => kind === "events");

test("the last large flushes of an import get numbers, though too few came to be merged", async () => {
  const config = {
    compactFanout: 8,
    backfillMs: WAIT_MS,
    backfillBytesPerMinute: 1e12,
    compactTargetBytes: 512 * 1024,
  };
  const compactor = lake.compactor(config);
  const large = [await flush(LARGE_ROWS), await flush(LARGE_ROWS)];
  const small = await flush(LARGE_ROWS - 1);
  expect(await compactor.step()).toBe(false);
  await age(TAIL_WAIT_MS / 2);
  expect(await compactor.step()).toBe(false);
  await age(TAIL_WAIT_MS / 2);
  for (const _ of large) {
    expect(await compactor.step()).toBe(true);
    await compactor.collect();
  }
  // Once.
  await age(TAIL_WAIT_MS);
  expect(await compactor.step()).toBe(false);
  const left = await files();
  expect(left.map(({ level, rowCount, isNumbered }) => [level, rowCount, isNumbered]).sort()).toEqual([
    [0, LARGE_ROWS - 1, false],
    [1, LARGE_ROWS, true],
    [1, LARGE_ROWS, true],
  ]);
  expect(left.map(({ id }) => id)).toContain(small.id);
});
