import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LakeQuery } from "../../src/lake/mod.ts";
import type { FunnelProgram, Program } from "../../src/walk/mod.ts";
import { MiB, openQueryScene } from "./queryScene.ts";

let scene: Awaited<ReturnType<typeof openQueryScene>>;
beforeAll(async () => {
  scene = await openQueryScene();
});
afterAll(() => scene.close());

const PROGRAM: FunnelProgram = {
  kind: "funnel",
  steps: 2,
  order: "ordered",
  windowMs: 60_000,
  optional: 0,
  exclusions: [],
  attribution: null,
  bucketStartsMs: null,
};

/** A question about one walk. */
const walking =
  (text: string, rows: string, program: Program = PROGRAM): LakeQuery["sql"] =>
  () => ({
    text,
    params: [],
    walks: [{ table: "walk0", text: rows, params: [], program, journeys: null }],
  });

const ROWS = `select i // 4 as actor, timestamp '2024-01-01' + to_seconds(i) as timestamp, 1 << (i % 2)::int as steps from range(40) r(i)`;

describe("a walk in a query process", () => {
  test("is a table of the statement", async () => {
    const sql = walking("select c0, c1, c2, c3 from walk0 order by c0 limit 2", ROWS);
    expect(await scene.rows(sql)).toEqual([
      [0, 2, "2024-01-01T00:00:00.000000", "2024-01-01T00:00:01.000000"],
      [1, 2, "2024-01-01T00:00:04.000000", "2024-01-01T00:00:05.000000"],
    ]);
  });

  test("is one of what was counted, without actors", async () => {
    const program: Program = {
      kind: "active",
      steps: 2,
      bucketStartsMs: [0, 1, 3].map((second) => Date.UTC(2024, 0, 1) + second * 1000),
      enough: [1, 2].map((least) => ({ least, most: null })),
      gives: { kind: "counts", lines: [7, 8] },
    };
    const rows = `select i // 4 as actor, timestamp '2024-01-01' + to_seconds(i % 4) as timestamp, 3 as steps from range(40) r(i)`;
    expect(await scene.rows(walking("select c0, c1, c2 from walk0 order by c0", rows, program))).toEqual([
      [7, 3, 10],
      [8, 1, 10],
    ]);
  });

  test.each([
    "i::utinyint",
    "i::uinteger",
    "i::tinyint - 20::tinyint",
    "i::integer - 20::integer",
    "i::bigint - 20",
    "i::varchar",
    "uuid()",
    "struct_pack(number := i, id := null::uuid)",
    "i / 2",
  ])("takes actors that are %s", async (actor) => {
    const rows = `select * from (select ${actor} as actor from range(40) r(i)), (values (timestamp '2024-01-01', 1), (timestamp '2024-01-01 00:00:30', 2)) v(timestamp, steps)`;
    const told = await scene.ask(walking("select c0 from walk0 where c1 = 2", rows));
    expect(told.rowCount).toBe(40);
    expect(told.types).toEqual((await scene.ask(`select ${actor} as actor from range(40) r(i)`)).types);
  });

  test("leaves nothing behind", async () => {
    const told = "select count(*) from duckdb_tables() where table_name like 'walk%'";
    await scene.rows(walking("select count(*) from walk0", ROWS));
    await scene.rows(walking("select count(*) from walk0", ROWS));
    expect(await scene.rows(told)).toEqual([[0]]);
  });
});

/** Rows that come for long, in order. */
const MANY = `select i // 10 as actor, make_timestamp(i) as timestamp, 1 as steps from range(300000000) r(i)`;
/** Rows of which the first comes late, and of which none comes. */
const SLOW = `select 1 as actor, make_timestamp(a.range) as timestamp, 1 as steps from range(3000000) a, range(3000000) b where a.range + b.range = -1`;
const COUNT = "select count(*) from walk0";

describe("a walk that fails", () => {
  test("fails as its rows do, or as the text does", async () => {
    const failing = [
      walking(COUNT, "select 'x'::integer as actor, timestamp '2024-01-01' as timestamp, 1 as steps"),
      walking(COUNT, "select nonsense as actor, timestamp '2024-01-01' as timestamp, 1 as steps"),
      walking(COUNT, "select 1 as actor"),
      walking("select nonsense from walk0", ROWS),
    ];
    for (const sql of failing) await expect(scene.ask(sql)).rejects.toMatchObject({ code: "query_failed" });
    expect(await scene.rows(walking(COUNT, ROWS))).toEqual([[10]]);
  });

  test("can be nothing but one SELECT", async () => {
    for (const text of ["create table t (a int)", "select 1; select 2", "attach 'x.db'", "", "set threads = 1"]) {
      await expect(scene.ask(walking(COUNT, text))).rejects.toMatchObject({ code: "query_failed" });
    }
    const file = "select 1 as actor, timestamp '2024-01-01' as timestamp, 1 as steps from read_text('/etc/passwd')";
    await expect(scene.ask(walking(COUNT, file))).rejects.toMatchObject({ code: "query_failed" });
  });

  test("ends at its deadline, and when it is cancelled", async () => {
    const { door: one } = scene.open({ queryProcesses: 1 });
    expect(await scene.rows("select 1", {}, one)).toEqual([[1]]);
    for (const rows of [MANY, SLOW]) {
      const sql = walking(COUNT, rows);
      await expect(scene.ask(sql, { deadlineMs: 3_000 }, one)).rejects.toMatchObject({ code: "query_timeout" });
      const controller = new AbortController();
      const asked = scene.ask(sql, { signal: controller.signal }, one);
      setTimeout(() => controller.abort(), 300);
      await expect(asked).rejects.toMatchObject({ code: "query_cancelled" });
    }
    expect(await scene.rows(walking(COUNT, ROWS), {}, one)).toEqual([[10]]);
    await one.close();
  });

  test("may not use more memory than its share", async () => {
    const { door: one } = scene.open({ queryProcesses: 1, queryMemoryBytes: 64 * MiB });
    const rows = `select list(range) as actor, timestamp '2024-01-01' as timestamp, 1 as steps from range(1000000000)`;
    await expect(scene.ask(walking(COUNT, rows), {}, one)).rejects.toMatchObject({ code: "query_memory" });
    expect(await scene.rows(walking(COUNT, ROWS), {}, one)).toEqual([[10]]);
    await one.close();
  });
});

describe("a walk that runs long", () => {
  test("is told of", async () => {
    let told = 0;
    const rows = `select (i * 7919) % 1000003 as actor, make_timestamp(i) as timestamp, 1 as steps from range(3000000) r(i)`;
    await scene.ask(walking(COUNT, rows), {
      onProgress: () => {
        told++;
      },
    });
    expect(told).toBeGreaterThan(0);
  });

  test("reads what the walks before it have found", async () => {
    const sql: LakeQuery["sql"] = () => ({
      text: "select c0, c1 from walk1 order by c0",
      params: [],
      walks: [
        { table: "walk0", text: ROWS, params: [], program: PROGRAM, journeys: null },
        {
          table: "walk1",
          text: "select $1::varchar || c0 as actor, c2 as timestamp, 1 as steps from walk0 where c0 < 2",
          params: ["a"],
          program: PROGRAM,
          journeys: null,
        },
      ],
    });
    expect(await scene.rows(sql)).toEqual([
      ["a0", 1],
      ["a1", 1],
    ]);
  });
});
