import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { LakeQuery } from "../../src/lake/mod.ts";
import type { FunnelProgram } from "../../src/walk/mod.ts";
import { openQueryScene } from "./queryScene.ts";

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
  (text: string, rows: string, program: Partial<FunnelProgram> = {}): LakeQuery["sql"] =>
  () => ({
    text,
    params: [],
    walks: [{ table: "walk0", text: rows, params: [], program: { ...PROGRAM, ...program } }],
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

  test.each([
    "i::utinyint",
    "i::uinteger",
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
