import { afterAll, describe, expect, test } from "bun:test";
import { MemoryLake } from "../support/memoryLake.ts";
import { hogql } from "./support.ts";

const lake = await MemoryLake.open();
afterAll(() => lake.close());

// docs/queries.md#null: what an operator gives for two values, for one NULL on either side, and for two NULLs.
const OPERATORS: [operator: string, values: (a: string, b: string) => boolean, oneNull: boolean, twoNulls: boolean][] =
  [
    ["=", (a, b) => a === b, false, true],
    ["!=", (a, b) => a !== b, true, false],
    ["<", (a, b) => a < b, false, false],
    ["<=", (a, b) => a <= b, false, false],
    [">", (a, b) => a > b, false, false],
    [">=", (a, b) => a >= b, false, false],
    ["like", (a, b) => a === b, false, true],
    ["not like", (a, b) => a !== b, true, false],
    ["ilike", (a, b) => a === b, false, true],
    ["not ilike", (a, b) => a !== b, true, false],
    ["=~", (a, b) => a === b, false, true],
    ["!~", (a, b) => a !== b, true, false],
    ["=~*", (a, b) => a === b, false, true],
    ["!~*", (a, b) => a !== b, true, false],
  ];

const VALUES = [null, "a", "b"];
const PAIRS = VALUES.flatMap((x) => VALUES.map((y) => [x, y] as const));
const literal = (value: string | null) => (value === null ? "null" : `'${value}'`);
const TABLE = `(values ${PAIRS.map(([x, y], i) => `(${i}, ${literal(x)}, ${literal(y)})`).join(", ")}) as v(i, x, y)`;

const rows = async (query: string) => (await hogql(lake, query)).results;

describe.each(OPERATORS)("x %s y", (operator, values, oneNull, twoNulls) => {
  const expected = PAIRS.map(([x, y]) => {
    if (x === null && y === null) return twoNulls;
    return x === null || y === null ? oneNull : values(x, y);
  });
  const condition = `x ${operator} y`;
  const holds = (wanted: boolean) => expected.flatMap((result, i) => (result === wanted ? [[i]] : []));

  test("shown, of columns and of literals", async () => {
    expect(await rows(`select ${condition} from ${TABLE} order by i`)).toEqual(expected.map((result) => [result]));
    const literals = PAIRS.map(([x, y]) => `${literal(x)} ${operator} ${literal(y)}`);
    expect(await rows(`select ${literals.join(", ")}`)).toEqual([expected]);
  });

  test("as a condition, positive and negated", async () => {
    expect(await rows(`select i from ${TABLE} where ${condition} order by i`)).toEqual(holds(true));
    expect(await rows(`select i from ${TABLE} where not (${condition}) order by i`)).toEqual(holds(false));
    expect(await rows(`select i from ${TABLE} where (${condition}) = false order by i`)).toEqual(holds(false));
    expect(await rows(`select i from ${TABLE} where (${condition}) and 1 or 0 order by i`)).toEqual(holds(true));
    expect(await rows(`select countIf(${condition}), countIf(not (${condition})) from ${TABLE}`)).toEqual([
      [holds(true).length, holds(false).length],
    ]);
    expect(await rows(`select groupArray(if(${condition}, 1, 0)) from (select * from ${TABLE} order by i)`)).toEqual([
      [expected.map(Number)],
    ]);
  });
});

describe("others", () => {
  test.each<[string, unknown[]]>([
    [
      "null between 1 and 2, 1 between null and 2, 1 not between null and 2, not (1 between null and 2)",
      [false, false, false, true],
    ],
    [
      "null in (1, 2), null in (1, null), null not in (1, 2), 1 in (null), 3 not in (1, null)",
      [false, true, true, false, true],
    ],
    [
      "null in [1, 2], has([1, null], 1), null is null, null is not null, 1 is distinct from null",
      [false, true, true, false, true],
    ],
    [
      "1 + null, concat('a', null), lower(null), not null, null and true, null and false, null or true",
      [null, null, null, null, null, false, true],
    ],
    [
      "if(null, 1, 2), null ?? 2, ifNull(null, 3), nullIf(1, 1), isNull(null), isNotNull(null), empty(null)",
      [2, 2, 3, null, true, false, null],
    ],
    ["count(null), count(1), sum(null), max(null), uniq(null), groupArray(null)", [0, 1, null, null, 0, []]],
  ])("%s", async (list, expected) => {
    expect(await rows(`select ${list}`)).toEqual([expected]);
  });

  test("NULLs come last in either direction, and are a group of their own", async () => {
    const table = "(values (1), (null), (2)) as v(x)";
    expect(await rows(`select x from ${table} order by x`)).toEqual([[1], [2], [null]]);
    expect(await rows(`select x from ${table} order by x desc`)).toEqual([[2], [1], [null]]);
    expect(await rows(`select x, count() from ${table} group by x order by x`)).toEqual([
      [1, 1],
      [2, 1],
      [null, 1],
    ]);
  });
});
