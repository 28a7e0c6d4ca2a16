import { expect, setSystemTime, test } from "bun:test";
import { Turns } from "../../src/lake/compaction/schedule.ts";
import { DAY_MS } from "../../src/types/mod.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { row } from "./support.ts";
import { TestLake } from "./testLake.ts";

test("the most urgent kind has its turn first, and each has one after eight jobs of others", () => {
  const turns = new Turns(["first", "second", "third"]);
  const done: string[] = [];
  for (let i = 0; i < 30; i++) {
    const [next] = turns.order();
    turns.took(next!);
    done.push(next!);
  }
  expect(done.slice(0, 8)).toEqual(Array(8).fill("first"));
  for (const kind of ["second", "third"]) expect(done.filter((each) => each === kind)).toHaveLength(3);
  expect(turns.order()[0]).toBe("first");
});

test("compaction looks for merges to work in and columns to fill in while small files come in without end", async () => {
  const lake = await TestLake.open();
  const asked = { squash: 0, backfill: 0 };
  const compactor = lake.compactor(
    { backfillBytesPerMinute: 1 },
    {
      catalog: {
        ...lake.catalog,
        dueForSquash: async () => {
          asked.squash++;
          return null;
        },
        dueForBackfill: async () => {
          asked.backfill++;
          return null;
        },
      },
    },
  );
  for (let n = 0; n < 20; n++) {
    for (let i = 0; i < 2; i++) await lake.store([row(2 * n + i)]);
    expect(await compactor.step()).toBe(true);
    await compactor.collect();
  }
  expect(asked).toEqual({ squash: 2, backfill: 2 });
  await lake.close();
});

test("columns are filled in while the clock of the machine is put back", async () => {
  const lake = await TestLake.open();
  let asked = 0;
  const compactor = lake.compactor(
    { backfillBytesPerMinute: 10 ** 9 },
    {
      catalog: {
        ...lake.catalog,
        dueForBackfill: async () => {
          asked++;
          return asked === 1 ? id : null;
        },
      },
    },
  );
  const { id } = await lake.store([row(1)]);
  setSystemTime(new Date(Date.now() + DAY_MS));
  const filled = await compactor.step();
  setSystemTime();
  expect(filled).toBe(true);
  await until("it to look for the next file", HANG_MS, async () => {
    await compactor.step();
    return asked > 1;
  });
  await lake.close();
});
