import { expect, test } from "bun:test";
import { personIdOf } from "../../src/types/mod.ts";
import { NOON, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1024 * 1024;
const PERSONS = 120_000;
const WIDE_ROWS = 48_000;
const FILES = 8;
const KEYS = Array.from({ length: 20 }, (_, i) => `key ${i}`);

test("rows that are wide are merged in little memory, whatever the engine takes their number for", async () => {
  const lake = await TestLake.open();
  const logged: string[] = [];
  const compactor = lake.compactor(
    { compactMemoryBytes: 264 * MiB, compactMs: 0, compactTargetBytes: 16 * MiB },
    { log: (line) => logged.push(line) },
  );
  const compact = async () => {
    while (await compactor.step());
  };
  const live = async () => (await lake.catalog.segmentChanges(0)).added;
  let n = 0;
  const rows = (count: number, keys: readonly string[]) =>
    Array.from({ length: count }, () => {
      n++;
      const texts = keys.map((key) => [key, `${key} of ${n} `.repeat(8)]);
      const properties = JSON.stringify(Object.fromEntries(texts));
      return row(n, { personId: personIdOf(1, `d${n % PERSONS}`), timestampMs: NOON, properties });
    });
  // A roster of many persons: the engine takes the rows of a job for fewer.
  for (let i = 0; i < FILES; i++) await lake.store(rows(PERSONS / FILES, []));
  await compact();
  expect(await live()).toContainEqual(expect.objectContaining({ kind: "roster", rowCount: PERSONS }));
  const columns = await lake.catalog.growLayout(
    1,
    KEYS.map((key) => ({ key, type: "VARCHAR" })),
  );
  for (let i = 0; i < FILES; i++) await lake.store(rows(WIDE_ROWS / FILES, KEYS), columns);
  // With its condition, too.
  await lake.catalog.erasePerson({
    ...{ teamId: 1, personId: personIdOf(1, "d0"), distinctIds: ["d0"], withEvents: true },
    ...{ accepted: { generation: 1, sequences: [] }, requestedAtMs: NOON },
  });
  await compact();
  const events = (await live()).filter(({ kind }) => kind === "events");
  expect(events.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(PERSONS + WIDE_ROWS - 1);
  expect(events.length).toBeLessThan(3);
  expect(logged.filter((line) => line.includes("failed"))).toEqual([]);
  await lake.close();
});
