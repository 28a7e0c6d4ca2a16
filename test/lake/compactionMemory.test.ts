import { expect, test } from "bun:test";
import { join } from "node:path";
import { Engine, sqlString } from "../../src/lake/engine/mod.ts";
import { personKey } from "../../src/lake/people/mod.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { NOON, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1024 * 1024;
const PERSONS = 120_000;
const WIDE_ROWS = 48_000;
const FILES = 8;
const KEYS = Array.from({ length: 20 }, (_, i) => `key ${i}`);

/** In memory a row takes 3 KB: 147 MiB together. */
test.each([
  ["beside the persons of the project, though the engine takes them for fewer than these", 264, 1, []],
  [
    "in parts, where they are too many to be sorted at once",
    192,
    20_000,
    [expect.stringMatching(/^sorting .* in parts$/)],
  ],
])("rows that are wide are merged %s", async (_, mib, spreadMs, told) => {
  const lake = await TestLake.open();
  const logged: string[] = [];
  const config = { compactMemoryBytes: mib * MiB, compactMs: 0, compactTargetBytes: 32 * MiB };
  const compactor = lake.compactor(config, { log: (line) => logged.push(line) });
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
      const timestampMs = NOON + ((n * 7_919) % spreadMs);
      return row(n, {
        event: `e${n % Math.min(3, spreadMs)}`,
        personId: personIdOf(1, `d${n % PERSONS}`),
        timestampMs,
        properties,
      });
    });
  for (let i = 0; i < FILES; i++) await lake.store(rows(PERSONS / FILES, []));
  await compact();
  expect(await live()).toContainEqual(expect.objectContaining({ kind: "roster", rowCount: PERSONS }));
  const columns = await lake.catalog.growLayout(
    1,
    KEYS.map((key) => ({ key, type: "VARCHAR" })),
  );
  for (let i = 0; i < FILES; i++) await lake.store(rows(WIDE_ROWS / FILES, KEYS), columns);
  // With its condition the engine takes them for still fewer.
  await lake.catalog.erasePerson({
    ...{ teamId: 1, personId: personIdOf(1, "d0"), distinctIds: ["d0"], withEvents: true },
    ...{ accepted: { generation: 1, sequences: [] }, requestedAtMs: NOON },
  });
  await compact();
  const events = (await live()).filter(({ kind }) => kind === "events");
  expect(events.map(({ rowCount }) => rowCount).sort()).toEqual([PERSONS - 1, WIDE_ROWS]);
  expect(logged.filter((line) => !line.startsWith("compacted"))).toEqual(told);
  for (const { id } of events) {
    const path = (suffix: string) => join(lake.directory, `${id}.${suffix}`);
    expect(await isOrdered(path("parquet"), `event, "timestamp", ordinal`)).toBe(true);
    const byPerson = `${personKey("person_id")}, person_id, "timestamp" desc, uuid desc`;
    expect(await isOrdered(path("persons.parquet"), byPerson)).toBe(true);
  }
  await lake.close();
});

/** Whether the rows of a file of one project and day stand in an order. */
async function isOrdered(path: string, order: string): Promise<unknown> {
  const tempDirectory = `${path}.temp`;
  const engine = new Engine({ threads: 1, memoryLimitBytes: 1024 * MiB, tempDirectory, tempLimitBytes: 1024 * MiB });
  const rows = `read_parquet(${sqlString(path)}, file_row_number = true)`;
  const [[ordered] = []] = await engine.run(
    `select list(ordinal order by file_row_number) = list(ordinal order by ${order}) from ${rows}`,
  );
  await engine.close();
  return ordered;
}
