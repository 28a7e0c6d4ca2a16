import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { MergePlan } from "../../src/lake/compaction/inspector.ts";
import { RowSource } from "../../src/lake/compaction/rowSource.ts";
import { groupByLayout } from "../../src/lake/compaction/typedRows.ts";
import { StoppableEngine, sqlString } from "../../src/lake/engine/mod.ts";
import type { LiveSegment } from "../../src/lake/mod.ts";
import { tableOf } from "../../src/lake/storage/mod.ts";
import type { TypedColumn } from "../../src/lake/typed/mod.ts";
import { dayOf } from "../../src/types/mod.ts";
import { NOON, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1024 * 1024;
const COLUMNS: TypedColumn[] = [
  { id: 0, key: "n", type: "BIGINT" },
  { id: 1, key: "text", type: "VARCHAR" },
];

let lake: TestLake;
let engine: StoppableEngine;
let inputs: LiveSegment[];
let n = 0;
const rowsOf = (count: number) =>
  Array.from({ length: count }, () => {
    const text = String(++n).padStart(8, "0");
    return row(n, { timestampMs: NOON, properties: JSON.stringify({ n, text: text.repeat(100), own: text }) });
  });

beforeAll(async () => {
  lake = await TestLake.open();
  const tempDirectory = join(lake.runDirectory, "spill");
  engine = new StoppableEngine({ threads: 1, memoryLimitBytes: 160 * MiB, tempDirectory, tempLimitBytes: 4096 * MiB });
  await lake.store(rowsOf(10_000));
  await lake.store(rowsOf(10_000), COLUMNS.slice(0, 1));
  for (let i = 0; i < 4; i++) await lake.store(rowsOf(50_000), COLUMNS);
  inputs = (await lake.catalog.segmentChanges(0)).added;
});
afterAll(async () => {
  await engine.close();
  await lake.close();
});

const LAYOUTS = new Map([[1, COLUMNS]]);

test("rows of files with other columns are sorted together though they do not fit into memory", async () => {
  expect(inputs.map(({ columns }) => columns)).toEqual([0, 1, 2, 2, 2, 2]);
  const known = { logs: [], rosters: [], erasures: [], version: 0 };
  const plan: MergePlan = { inputs, outputs: [], rowGroupRows: 4_096, known };
  const day = dayOf(NOON);
  const output = { teamIds: [1], fromDay: day, toDay: day, rows: 220_000 };
  const path = join(lake.directory, "sorted.parquet");
  const write = (text: string, read: object) =>
    engine.run(
      `copy (select * from (${text}) order by hash(ordinal)) to ${sqlString(path)} (format parquet, row_group_size 4096)`,
      read,
    );
  const source = new RowSource(lake.storage, engine);
  const before = readdirSync(lake.directory);
  await source.during({ plan, output, columns: COLUMNS, layouts: LAYOUTS }, ({ text, ...read }) => write(text, read));
  const found = await engine.run(
    `select count(*)::int, count(distinct p0)::int, min(strlen(p1))::int, min(rest)[:8] from read_parquet(${sqlString(path)})`,
  );
  expect(found).toEqual([[n, n, 800, '{"own":"']]);
  expect(readdirSync(lake.directory).filter((name) => !before.includes(name))).toEqual(["sorted.parquet"]);

  // If this ends, a union would do as well.
  const parts = groupByLayout(inputs.slice(1), LAYOUTS).map(({ files, stored }) => {
    const text = stored.length === 1 ? "rest" : "p1";
    return `select ordinal, p0, ${text} as text from ${tableOf(lake.storage, files)}`;
  });
  await expect(write(parts.join(" union all "), {})).rejects.toThrow("Out of Memory");
});
