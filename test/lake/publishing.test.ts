import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { LakePublisher } from "../../src/lake/mod.ts";
import { row, sql, tempFolder } from "./support.ts";
import { TestLake } from "./testLake.ts";

const MiB = 1 << 20;
const ROWS = 30_000;
const NEVER = new AbortController().signal;
const folder = tempFolder();
let lake: TestLake;

/** Of a kilobyte each, in one file. */
beforeAll(async () => {
  lake = await TestLake.open();
  const properties = () => `{"text":"${randomBytes(750).toString("base64")}"}`;
  await lake.store(Array.from({ length: ROWS }, (_, n) => row(n, { properties: properties() })));
});
afterAll(async () => {
  await lake.close();
  folder.dispose();
});

function write(memoryLimitBytes: number) {
  const publisher = new LakePublisher({ ...lake, memoryLimitBytes });
  const path = join(folder.path, `${memoryLimitBytes}.parquet`);
  return publisher.read(1, NEVER, (view) => view.writeEvents(view.segmentIds[0]!, path));
}

test("a table of many rows is written with the memory that the smallest Weir has for it", async () => {
  const { path, rows } = await write(64 * MiB);
  expect(rows).toBe(ROWS);
  expect(await sql(`select count(distinct uuid)::int from read_parquet('${path}')`)).toEqual([[ROWS]]);
});

test("where memory is too short even so, the engine says it in a sentence, and it may be tried again", async () => {
  await expect(write(MiB)).rejects.toMatchObject({
    code: "publish_failed",
    retryable: true,
    message: expect.stringMatching(/^the tables cannot be written: Out of Memory Error: [^\n]*$/),
  });
});
