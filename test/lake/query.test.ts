import { afterAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type LakeQuery, openLake } from "../../src/lake/mod.ts";
import { DAY_MS } from "../../src/types/mod.ts";
import { openQueryScene } from "./queryScene.ts";
import { allEvents, doorConfig, NOON, row } from "./support.ts";
import { TestLake } from "./testLake.ts";

const scene = await openQueryScene();
const { ask, rows, close } = scene;
afterAll(close);

describe("the events relation", () => {
  test("holds one project's rows, and only files of the range", async () => {
    const count: LakeQuery["sql"] = (relations) => ({
      text: `select count(*) from ${allEvents(relations)}`,
      params: [],
    });
    expect(await ask(count)).toMatchObject({ rowsJson: "[[600]]", files: 2 });
    expect(await ask(count, { teamId: 2 })).toMatchObject({ rowsJson: "[[500]]", files: 1 });
    expect(await ask(count, { teamId: 3 })).toMatchObject({ rowsJson: "[[0]]", files: 0 });
    const late = { fromMs: NOON + 5 * DAY_MS, toMs: null };
    expect(await ask(count, { range: late })).toMatchObject({ rowsJson: "[[100]]", files: 1 });
  });

  test("has the same columns with and without files", async () => {
    const describe: LakeQuery["sql"] = (relations) => ({
      text: `select column_name, column_type from (describe select * from ${allEvents(relations)})`,
      params: [],
    });
    const columns = await rows(describe);
    expect(columns).toEqual([
      ["uuid", "UUID"],
      ["event", "VARCHAR"],
      ["distinct_id", "VARCHAR"],
      ["person_id", "UUID"],
      ["timestamp", "TIMESTAMP"],
      ["created_at", "TIMESTAMP"],
      ["lane", "UTINYINT"],
      ["ordinal", "BIGINT"],
      ["properties", "VARCHAR"],
      ["elements_chain", "VARCHAR"],
      ["person_mode", "UTINYINT"],
    ]);
    expect(await rows(describe, { teamId: 3 })).toEqual(columns);
  });

  test("a list of files that is not the one asked for is not read", async () => {
    const { stored } = scene;
    const catalog = {
      ...stored.catalog,
      readSnapshot: ({ teamId }: { teamId: number }) =>
        stored.catalog.readSnapshot({ teamId, fromMs: null, toMs: null }),
    };
    const { storage, runDirectory } = stored;
    const door = openLake({ config: doorConfig(), catalog, storage, runDirectory, log: () => {} });
    const late = { fromMs: NOON + 5 * DAY_MS, toMs: null };
    await expect(ask("select 1", { range: late }, door)).rejects.toMatchObject({ code: "assertion_failed" });
    await door.close();
  });

  test("a file that is gone is an error, never fewer rows", async () => {
    const other = await TestLake.open();
    const { id } = await other.store([row(1)]);
    const door = openLake({
      config: doorConfig(),
      catalog: other.catalog,
      storage: other.storage,
      runDirectory: other.runDirectory,
      log: () => {},
    });
    rmSync(join(other.directory, `${id}.parquet`));
    await expect(
      ask((relations) => ({ text: `select count(*) from ${allEvents(relations)}`, params: [] }), {}, door),
    ).rejects.toMatchObject({ code: "segment_missing", retryable: true });
    await door.close();
    await other.close();
  });
});

describe("results", () => {
  test("come as JSON with every type in its own form", async () => {
    const text = `select 1::integer as i, 9007199254740993::bigint as big, 12345678901234567890123::hugeint as huge,
      1.5::double as d, 'nan'::double as nan, 'inf'::double as inf, 12.30::decimal(9,2) as dec, true as b,
      date '2021-01-01' as day, timestamp '2021-01-02 03:04:05.006007' as t, timestamp '1969-12-31 23:59:59.999999' as old,
      '00000000-0000-4000-8000-000000000001'::uuid as u, 'a"b\\ü🎉' as s, ['x', null] as l, {'k': [1]} as st,
      map {'a': 1} as m, null as n`;
    const outcome = await ask(text);
    expect(JSON.parse(outcome.rowsJson)).toEqual([
      [
        1,
        "9007199254740993",
        "12345678901234567890123",
        1.5,
        null,
        null,
        12.3,
        true,
        "2021-01-01",
        "2021-01-02T03:04:05.006007",
        "1969-12-31T23:59:59.999999",
        "00000000-0000-4000-8000-000000000001",
        'a"b\\ü🎉',
        ["x", null],
        { k: [1] },
        { a: 1 },
        null,
      ],
    ]);
    expect(outcome.types.slice(0, 9)).toEqual([
      "INTEGER",
      "BIGINT",
      "HUGEINT",
      "DOUBLE",
      "DOUBLE",
      "DOUBLE",
      "DECIMAL(9,2)",
      "BOOLEAN",
      "DATE",
    ]);
  });

  test("bind parameters as values of their type", async () => {
    const params = [7, 1.5, 2n ** 40n, "it's; $1 --", true, null, ["a", "b"], [], [1, 2.5]];
    const text = `select $1 + 0 as a, $2 + 0 as b, $3 + 0 as c, $4::varchar as d, $5::boolean as e, $6::varchar as f,
      list_contains($7::varchar[], 'b') as g, len($8::varchar[]) as h, list_sum($9::double[]) as i`;
    const expected = [7, 1.5, 2 ** 40, "it's; $1 --", true, null, true, 0, 3.5];
    expect(await rows(() => ({ text, params }))).toEqual([expected]);
  });

  test("keep their order and equal names, and say when there is more", async () => {
    const outcome = await ask("select i as x, i as x from range(100000) t(i) order by i desc", { maxRows: 3 });
    expect(outcome).toMatchObject({
      rowsJson: "[[99999,99999],[99998,99998],[99997,99997]]",
      rowCount: 3,
      hasMore: true,
    });
    expect(await ask("select i from range(3) t(i) -- comment", { maxRows: 3 })).toMatchObject({
      rowCount: 3,
      hasMore: false,
    });
  });

  test("that are too large are refused", async () => {
    await expect(ask("select repeat('x', 2000) from range(1000)")).rejects.toMatchObject({ code: "result_too_large" });
    await expect(ask("select range(200000)")).rejects.toMatchObject({ code: "result_too_large" });
    expect((await ask("select repeat('x', 500) from range(1000)")).rowCount).toBe(1_000);
  });
});
