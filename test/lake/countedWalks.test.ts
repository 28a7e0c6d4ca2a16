import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Program } from "../../src/walk/mod.ts";
import { askingOf, BASE_MS, FUNNEL, journeyOf } from "./journeyScene.ts";
import { openQueryScene } from "./queryScene.ts";

let scene: Awaited<ReturnType<typeof openQueryScene>>;
beforeAll(async () => {
  scene = await openQueryScene({ queryProcesses: 1, walks: { leastRows: 0, rangeRows: 4, asksBeforeKept: 0 } });
});
afterAll(() => scene.close());

const JOURNEY = journeyOf(3, ["first", "second"]);
const INTERVALS: Program = {
  kind: "active",
  steps: 2,
  bucketStartsMs: [BASE_MS, BASE_MS + 1000],
  enough: [
    { least: 1, most: null },
    { least: 1, most: null },
  ],
  gives: { kind: "counts", lines: [7, 8] },
};
const STATUSES: Program = {
  ...INTERVALS,
  gives: { kind: "statuses", made: { fromMs: BASE_MS, toMs: BASE_MS + 999 } },
};
const BROKEN: Program = {
  kind: "funnelCounts",
  funnel: { ...FUNNEL, attribution: "first" },
  line: 0,
  since: [null, 0],
  shown: { most: 2, other: "all others" },
};
/** Persons 0, 1 and 2 come from places of their own, the last from none. */
const PLACES = {
  text: `select i::ubigint as place, case i // 2 when 0 then 'a "b"' when 1 then 'c' end as value from range(6) r(i)`,
  params: [],
};

/** The walk's own answer, and that of DuckDB over its table. */
async function both(program: Program, columns: number[], held: Parameters<typeof askingOf>[2] = {}) {
  const shown = `SELECT ${columns.map((column, i) => `c${column} AS c${i}`).join(", ")} FROM walk0`;
  const ask = async (text: string) => scene.ask(await askingOf(scene, [JOURNEY], held, text, program));
  const [plain, byTable] = [await ask(shown), await ask(`${shown} WHERE true`)];
  return { plain, byTable, rows: JSON.parse(plain.rowsJson) as unknown[][] };
}

const byText = (rows: unknown[][]) => rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe("a statement that shows what a walk has counted", () => {
  test.each([
    [
      "intervals",
      INTERVALS,
      [0, 1, 2],
      {},
      [
        [7, 1, 3],
        [8, 1, 3],
      ],
    ],
    [
      "columns in another order, and twice",
      INTERVALS,
      [2, 0, 0],
      {},
      [
        [3, 7, 7],
        [3, 8, 8],
      ],
    ],
    [
      "statuses",
      STATUSES,
      [0, 1, 2, 3, 4],
      { made: { text: `select i::int as actor, ${BASE_MS} + 500 * i as at_ms from range(3) r(i)`, params: [] } },
      [[0, 2, 0, 1, 3]],
    ],
    [
      "values, and times",
      BROKEN,
      [0, 1, 2, 4, 6, 7],
      { places: PLACES },
      [
        [0, 1, 1, 1, 1, ""],
        [0, 1, 1, 1, 1, 'a "b"'],
        [0, 1, 1, 1, 1, "all others"],
      ],
    ],
  ] as [string, Program, number[], Parameters<typeof askingOf>[2], unknown[][]][])(
    "gives %s as a table would",
    async (_, program, columns, held, expected) => {
      const { plain, byTable, rows } = await both(program, columns, held);
      expect(plain.types).toEqual(byTable.types);
      expect(byText(rows)).toEqual(byText(JSON.parse(byTable.rowsJson)));
      expect(byText(rows)).toEqual(byText(expected));
    },
  );

  test("has no more rows than it may", async () => {
    const sql = await askingOf(scene, [JOURNEY], {}, "SELECT c0 AS c0 FROM walk0", INTERVALS);
    const told = await scene.ask(sql, { maxRows: 1 });
    expect(told).toMatchObject({ rowsJson: "[[7]]", rowCount: 1, hasMore: true });
  });
});
