import { afterAll, describe, expect, test } from "bun:test";
import { openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

const LIST = "JSONExtract(properties, 'xs', 'Array(Int64)')";

async function expectRows(query: string, expected: unknown[][]): Promise<void> {
  expect(await rows(query)).toEqual(expected);
}

describe("aggregates", () => {
  test.each<[string, unknown[]]>([
    [
      "sumIf(toFloat(properties.amount), event = 'buy'), countIf(event = 'buy'), uniqIf(distinct_id, event = 'view')",
      [30.5, 2, 2],
    ],
    [
      "groupArrayIf(event, properties.s = 'x'), minIf(event, false), minOrNullIf(event, false), quantileIf(0.5)(toFloat(properties.n), true)",
      [["buy"], "", null, 51.5],
    ],
    [
      "sumOrDefault(toFloat(properties.none)), sumOrNull(toFloat(properties.none)), countOrNull(properties.none), avgOrDefaultIf(1, false)",
      [0, null, null, 0],
    ],
    [
      "sumArray([1, 2]), avgArray([1, 3]), uniqArray(['a', 'b']), medianArray([1, 2]), groupUniqArrayArray([1]), groupArrayArray([2])",
      [12, 2, 2, 1.5, [1], [2, 2, 2, 2]],
    ],
    [
      "sumForEach([1, 2, 3]), maxForEach([toInt(properties.n), 1]), sumForEachIf([1], event = 'buy')",
      [[4, 8, 12], [100, 1], [2]],
    ],
    [
      "sumArgMax(toInt(properties.n), timestamp), countArgMin(timestamp), avgArgMin(toFloat(properties.amount), timestamp)",
      [100, 1, 10.5],
    ],
    [
      "sumMap(map(event, 1)), sumMap([event], [2]), maxMap(map('a', toInt(properties.n))), avgMapIf(map('a', 2), event = 'buy')",
      [
        { buy: 2, view: 2 },
        [
          ["buy", "view"],
          [4, 4],
        ],
        { a: 100 },
        { a: 2 },
      ],
    ],
    [
      "topK(1)(distinct_id), groupArray(1)(event), groupArray(distinct_id order by timestamp desc), quantiles(0, 1)(toFloat(properties.n))",
      [["a"], ["buy"], ["c", "a", "b", "a"], [3, 100]],
    ],
    [
      "argMaxIf(distinct_id, timestamp, event = 'buy'), anyLast(properties.n), string_agg(event, ','), json_agg(event), every(timestamp > '2020-01-01')",
      ["b", "100", "buy,buy,view,view", '["buy","buy","view","view"]', true],
    ],
    [
      "count(distinct event), count(distinct event, distinct_id), sum(distinct 1), countDistinct(event), groupArraySorted(1)(toInt(properties.n))",
      [2, 4, 1, 2, [3]],
    ],
    [
      "avgWeighted(2, 1), stddevPop(1), varSamp(toFloat(properties.n)), corr(1, 2), groupBitOr(toInt(properties.n)), quantileExact(toInt(properties.n))",
      [2, 0, 4704.5, null, 103, 100],
    ],
    [
      "uniqExact(event), uniqHLL12(event), uniqTheta(event), uniqCombined(event), sumWithOverflow(1), sumKahan(1.5), min(event), anyHeavy(event), argMin(event, timestamp), first_value(event), last_value(event)",
      [2, 2, 2, 2, 4, 6, "buy", "buy", "buy", "buy", "view"],
    ],
    [
      "quantileExactLow(toInt(properties.n)), quantileTDigest(toInt(properties.n)), quantileTiming(toInt(properties.n)), medianExact(toInt(properties.n)), stddevSamp(1), varPop(1), entropy(1), covarPop(1, 2), covarSamp(1, 2)",
      [3, 51.5, 51.5, 100, 0, 0, 0, 0, 0],
    ],
    ["array_agg(1), groupUniqArray(1), groupBitAnd(5), groupBitXor(5)", [[1, 1, 1, 1], [1], 5, 0]],
  ])("%s", (list, expected) => expectRows(`select ${list} from events`, [expected]));
});

test("members of an aggregate's tuples, and names inside of expressions", async () => {
  const inner = "select event, groupArray((distinct_id, 2)) as g from events group by event";
  const query = `select event, arrayZip((sumMap(g.1, g.2) as x).1, x.2) from (${inner}) group by event order by event`;
  await expectRows(query, [
    [
      "buy",
      [
        ["a", 2],
        ["b", 2],
      ],
    ],
    [
      "view",
      [
        ["a", 2],
        ["c", 2],
      ],
    ],
  ]);
  await expectRows("select (1 + 1 as two) * 3, two, count(*) from events", [[6, 2, 4]]);
});

describe("windows", () => {
  test.each<[string, unknown[][]]>([
    [
      "select event, row_number() over (partition by event order by timestamp) as r, lag(event) over (order by timestamp), lead(event, 1, 'end') over (order by timestamp) from events order by timestamp",
      [
        ["buy", 1, "", "buy"],
        ["buy", 2, "buy", "view"],
        ["view", 1, "buy", "view"],
        ["view", 2, "view", "end"],
      ],
    ],
    [
      "select rank() over w, dense_rank() over w, count() over w, first_value(event) over w, ntile(2) over w from events window w as (order by event) order by 1, 5",
      [
        [1, 1, 2, "buy", 1],
        [1, 1, 2, "buy", 1],
        [3, 2, 4, "buy", 2],
        [3, 2, 4, "buy", 2],
      ],
    ],
    [
      "select sum(number) over (order by number rows between 1 preceding and current row), avg(number) over (order by number rows between current row and 1 following) from numbers(3) order by number",
      [
        [0, 0.5],
        [1, 1.5],
        [3, 2],
      ],
    ],
    [
      "select event, count() as n, n / sum(n) over () from events group by event order by event",
      [
        ["buy", 2, 0.5],
        ["view", 2, 0.5],
      ],
    ],
    [
      "select event, n from (select event, row_number() over (partition by event order by timestamp) as n from events) where n = 1 order by event",
      [
        ["buy", 1],
        ["view", 1],
      ],
    ],
    [
      "select distinct_id from events qualify row_number() over (partition by event order by timestamp desc) = 1 order by 1",
      [["b"], ["c"]],
    ],
    [
      "select quantile(0.5)(number) over (), lagInFrame(number) over (order by number) from numbers(3) order by number",
      [
        [1, 0],
        [1, 0],
        [1, 1],
      ],
    ],
    [
      "select percent_rank() over (order by number), cume_dist() over (order by number), nth_value(number, 2) over (order by number rows between unbounded preceding and unbounded following) from numbers(2) order by 1",
      [
        [0, 0.5, 1],
        [1, 1, 1],
      ],
    ],
  ])("%s", expectRows);
});

describe("one row for each element", () => {
  test.each<[string, unknown[][]]>([
    [
      "select arrayJoin([1, 2]) as x, x * 2",
      [
        [1, 2],
        [2, 4],
      ],
    ],
    [
      "select arrayJoin([1, 2]), arrayJoin([1, 2])",
      [
        [1, 1],
        [2, 2],
      ],
    ],
    [
      "select arrayJoin([1, 2]) as x, arrayJoin([3, 4]) as y order by x, y",
      [
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
      ],
    ],
    [
      `select arrayJoin(['a', event]) as x, count() from events group by x order by x`,
      [
        ["a", 4],
        ["buy", 2],
        ["view", 2],
      ],
    ],
    ["select count() from events where arrayJoin([1, 2, 3]) > 1", [[8]]],
    ["select arrayJoin(groupArray(number)) as x from numbers(2) order by x", [[0], [1]]],
    [
      "select x, y from (select 1 as a) array join [1, 2] as x, ['p', 'q'] as y order by x",
      [
        [1, "p"],
        [2, "q"],
      ],
    ],
    [`select count() from events array join ${LIST} as x`, [[0]]],
    [`select count(), sum(x) from events left array join ${LIST} as x`, [[4, 0]]],
  ])("%s", expectRows);
});

describe("groups and limits", () => {
  test.each<[string, unknown[][]]>([
    [
      "select event, distinct_id, count() from events group by rollup(event, distinct_id) order by 1, 2",
      [
        ["buy", "a", 1],
        ["buy", "b", 1],
        ["buy", null, 2],
        ["view", "a", 1],
        ["view", "c", 1],
        ["view", null, 2],
        [null, null, 4],
      ],
    ],
    [
      "select event, distinct_id, count() from events group by grouping sets ((event), (distinct_id)) order by 1, 2",
      [
        ["buy", null, 2],
        ["view", null, 2],
        [null, "a", 2],
        [null, "b", 1],
        [null, "c", 1],
      ],
    ],
    [
      "select event, count() from events group by cube(event) order by 1",
      [
        ["buy", 2],
        ["view", 2],
        [null, 4],
      ],
    ],
    [
      "select event, count() from events group by all order by 1",
      [
        ["buy", 2],
        ["view", 2],
      ],
    ],
    [
      "select event, distinct_id from events order by timestamp desc limit 1 by event",
      [
        ["view", "c"],
        ["buy", "b"],
      ],
    ],
    [
      "select event, distinct_id from events order by timestamp limit 1 offset 1 by event",
      [
        ["buy", "b"],
        ["view", "c"],
      ],
    ],
    ["select event from events prewhere event = 'buy' where distinct_id = 'a'", [["buy"]]],
    ["select number from numbers(9) limit 2 offset 4", [[4], [5]]],
  ])("%s", expectRows);
});

describe("sets of queries, and tables that are written out", () => {
  test.each<[string, unknown[][]]>([
    ["select 1 union all select 1 except select 1", [[1]]],
    ["select 1 union all select 2 intersect select 2", [[1], [2]]],
    ["(select 1 union all select 2) except select 1", [[2]]],
    ["(select 1 union all select 2) limit 1", [[1]]],
    [
      "select a, b from (values (1, 'x'), (2, 'y')) as v(a, b) order by a",
      [
        [1, "x"],
        [2, "y"],
      ],
    ],
    ["select p.a from (select 1, 2) as p(a, b)", [[1]]],
    ["with t(a, b) as (select 1, 2) select a + b from t", [[3]]],
    [
      "select arrayReverseSort(groupArray(r)) = groupArray(r) from (select randCanonical() * 2 as r from numbers(9) order by r desc)",
      [[true]],
    ],
    ["select number from numbers(3) order by (number - 1) / (number - 1) * number desc", [[2], [0], [1]]],
    [
      "select number n, sum(n - 1) / sum(n - 1) r from numbers(3) group by n order by r desc, n",
      [
        [0, 1],
        [2, 1],
        [1, null],
      ],
    ],
    ["with (select max(number) from numbers(3)) as m select m, n from (select m + 1 as n) as t", [[2, 3]]],
    ["with (select 2) as m select m union all select m + 1", [[2], [3]]],
    ["with (select 2) as m select x from (with m * 3 as m select m as x) as t where x > m", [[6]]],
    ["with 5 as a, a + 1 as b, (select a + b) as c select a, b, c from (select 1) as t", [[5, 6, 11]]],
    [
      "with number + 1 as n, n * 2 as m, number * 10 as number select n, m, number from numbers(3) where n > 1 order by m",
      [
        [2, 4, 10],
        [3, 6, 20],
      ],
    ],
    [
      "with number % 2 as rest, count() as c select rest, c, sum(rest) from numbers(3) group by rest having c > 0 order by c",
      [
        [1, 1, 1],
        [0, 2, 0],
      ],
    ],
    ["with e.event as name select name, arrayMap(event -> name, [1]) from events e limit 1", [["buy", ["buy"]]]],
    [
      "select e.event, p.number from events e right join numbers(2) p on toInt(e.properties.n) = p.number + 3 order by 2",
      [
        ["buy", 0],
        [null, 1],
      ],
    ],
    [
      "select count(), count(e.event) from events e full join numbers(2) p on toInt(e.properties.n) = p.number + 3",
      [[5, 4]],
    ],
    ["select count() from events e cross join numbers(3) n", [[12]]],
    ["select count() from events e, numbers(2) n", [[8]]],
    ["select distinct_id from events e semi join (select 'buy' as x) y on y.x = e.event order by 1", [["a"], ["b"]]],
    ["select distinct_id from events e anti join (select 'buy' as x) y on y.x = e.event order by 1", [["a"], ["c"]]],
    ["select (event, distinct_id) in (select event, distinct_id from events) from events limit 1", [[true]]],
  ])("%s", expectRows);
});
