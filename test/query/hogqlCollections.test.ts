import { afterAll } from "bun:test";
import { type Table, testFunctions } from "./functionTables.ts";
import { openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

const ARRAYS: Table = [
  [
    "arrayMap(x -> x * 2, [1, 2]), arrayMap((x, y) -> x + y, [1, 2], [3, 4])",
    [
      [2, 4],
      [4, 6],
    ],
  ],
  [
    "arrayMap(x -> arrayMap(y -> x + y, [10, 20]), [1, 2])",
    [
      [
        [11, 21],
        [12, 22],
      ],
    ],
  ],
  ["arrayFilter(x -> x > 1, [1, 2]), arrayFilter((x, y) -> y, [1, 2], [true, false])", [[2], [1]]],
  [
    "arrayCount(x -> x > 1, [1, 2]), arrayCount([1, 0]), arrayExists(x -> x = 1, [1]), arrayAll(x -> x = 1, [1, 2])",
    [1, 1, true, false],
  ],
  [
    "arrayFirst(x -> x > 1, [1, 2, 3]), arrayLast(x -> x > 1, [1, 2, 3]), arrayFirst(x -> x > 9, [1]), arrayFirstOrNull(x -> x > 9, [1])",
    [2, 3, 0, null],
  ],
  [
    "arrayFirstIndex(x -> x > 1, [1, 2]), arrayLastIndex(x -> x > 1, [2, 3, 1]), arrayFirstIndex(x -> x > 9, [1])",
    [2, 2, 0],
  ],
  [
    "arraySum([1, 2]), arraySum(x -> x * 2, [1, 2]), arrayAvg([1, 2]), arrayMin([2, 1]), arrayMax(x -> -x, [2, 1])",
    [3, 6, 1.5, 1, -1],
  ],
  [
    "arraySort([3, 1, 2]), arraySort(x -> -x, [3, 1, 2]), arrayReverseSort([3, 1, 2]), arraySort((x, y) -> y, ['a', 'b'], [2, 1])",
    [
      [1, 2, 3],
      [3, 2, 1],
      [3, 2, 1],
      ["b", "a"],
    ],
  ],
  [
    "arrayFold((acc, x) -> acc + x, [1, 2, 3], 10), arrayReduce('sum', [1, 2]), arrayReduce('uniq', [1, 1])",
    [16, 3, 1],
  ],
  [
    "arrayReduce('avg', arrayFilter(x -> x > 1, [1])), arrayReduce('max', arrayFilter(x -> x > 1, [1])), arrayReduce('sum', arrayFilter(x -> x > 1, [1, null])), arrayReduce('count', [null, 1]), arrayReduce('anyLast', [1, null])",
    [null, 0, null, 1, 1],
  ],
  [
    "cast([1, 2] as Array(String)), cast(['1', 'x'] as Array(Int64)), cast([[1.5], []] as Array(Array(String))), cast((1, [2]) as Tuple(String, Array(Float64))), arrayMap(x -> cast(x as Array(String)), [[1], [2]])",
    [
      ["1", "2"],
      [1, null],
      [["1.5"], []],
      ["1", [2]],
      [["1"], ["2"]],
    ],
  ],
  [
    "arrayCumSum([1, 2, 3]), arrayDifference([1, 3, 6]), arrayCompact([1, 1, 2, 1])",
    [
      [1, 3, 6],
      [0, 2, 3],
      [1, 2, 1],
    ],
  ],
  [
    "arrayElement([1, 2], -1), [1, 2][5], [1, 2, 3][2:3], has([1, 2], 2), indexOf([1, 2], 2), indexOf(['a'], 'b'), countEqual([1, 1], 1)",
    [2, 0, [2, 3], true, 2, 0, 2],
  ],
  [
    "hasAny([1], [1, 2]), hasAll([1, 2], [1]), arrayUniq([1, 1]), arrayConcat([1], [2]), arrayIntersect([1, 2], [2, 3])",
    [true, true, 1, [1, 2], [2]],
  ],
  [
    "arraySlice([1, 2, 3], 2), arraySlice([1, 2, 3, 4], -2, 1), arraySlice([1, 2, 3, 4], 2, 2), arraySlice([1, 2, 3, 4], 2, -1)",
    [[2, 3], [3], [2, 3], [2, 3]],
  ],
  [
    "arrayPushBack([1], 2), arrayPushFront([1], 2), arrayPopBack([1, 2]), arrayPopFront([1, 2]), arrayResize([1], 3), arrayResize(['a'], 2, 'b')",
    [[1, 2], [2, 1], [1], [2], [1, 0, 0], ["a", "b"]],
  ],
  [
    "arrayEnumerate([5, 6]), arrayFlatten([[[1]], [[2, 3]]]), arrayWithConstant(2, 'a'), arrayStringConcat(['a', 'b'], '-'), arrayStringConcat([1, 2])",
    [[1, 2], [1, 2, 3], ["a", "a"], "a-b", "12"],
  ],
  [
    "range(3), range(1, 3), range(0, 5, 2), arrayReverse([1, 2]), [], [[], [1]], [1, 2.5, null]",
    [[0, 1, 2], [1, 2], [0, 2, 4], [2, 1], [], [[], [1]], [1, 2.5, null]],
  ],
];

const TUPLES: Table = [
  ["tuple(1, 'a'), (1, 'a').2, tupleElement((1, 2), 1), (1, (2, 'x')).2.2, [(1, 2)][1].2", [[1, "a"], "a", 1, "x", 2]],
  [
    "arrayZip([1, 2], ['a', 'b']), arrayMap(x -> x.2, arrayZip([1], ['a']))",
    [
      [
        [1, "a"],
        [2, "b"],
      ],
      ["a"],
    ],
  ],
  [
    "tuplePlus((1, 2), (3, 4)), (1, 2) = (1, 2), (1, 2) in ((1, 2), (3, 4)), (1, 2) not in ((1, 3))",
    [[4, 6], true, true, true],
  ],
  [
    "map('a', 1), map('a', 1)['a'], map('a', 1)['b'], mapKeys(map('a', 1)), mapValues(map('a', 1)), mapFromArrays(['a'], [1])",
    [{ a: 1 }, 1, 0, ["a"], [1], { a: 1 }],
  ],
  [
    "mapFilter((k, v) -> v > 1, map('a', 1, 'b', 2)), mapApply((k, v) -> (k, v + 1), map('a', 1)), mapContains(map('a', 1), 'a')",
    [{ b: 2 }, { a: 2 }, true],
  ],
  [
    "toString([(1, 'a')]), toJSONString((1, 'b')), toJSONString(map('a', [1])), toJSONString('x')",
    ['[[1,"a"]]', '[1,"b"]', '{"a":[1]}', '"x"'],
  ],
];

const JSON_TEXTS: Table = [
  [
    `JSONExtract('{"a":[1,2]}', 'a', 'Array(Int64)'), JSONExtract('{"a":{"b":"x"}}', 'a', 'Map(String, String)')`,
    [[1, 2], { b: "x" }],
  ],
  [
    `JSONExtract('{"a":[1,"x"]}', 'a', 'Tuple(Int64, String)'), JSONExtract('{"a":"x"}', 'a', 'String')`,
    [[1, "x"], "x"],
  ],
  [
    `JSONExtract('{"a":["y"]}', 'a', 'Tuple(Int64, String, Nullable(String))'), JSONExtract('{"a":{"b":"x","c/d":2}}', 'a', 'Map(String, Int64)'), JSONExtract('{"a":5}', 'a', 'Map(String, Int64)')`,
    [[0, "", null], { b: 0, "c/d": 2 }, {}],
  ],
  [
    `JSONExtract('[1.5, 9007199254740993, "7", "x", null]', 'Array(Int64)') = [1, 9007199254740993, 7, 0, 0], JSONExtract('[1, "x", null, true]', 'Array(Nullable(Float64))'), JSONExtract('{"p":{"q":[["a"]]}}', 'Map(String, Map(String, Array(Tuple(String, Int64))))')`,
    [true, [1, null, null, 1], { p: { q: [["a", 0]] } }],
  ],
  [
    `JSONExtract('{}', 'a', 'Nullable(Int64)'), JSONExtract('{}', 'a', 'Int64'), JSONExtract('no', 'a', 'String')`,
    [null, 0, ""],
  ],
  [
    `JSONExtractString('{"a":"x"}', 'a'), JSONExtractUInt('{"a":2}', 'a'), JSONExtractRaw('{"a":{"b":1}}', 'a'), JSONExtractBool('{"a":true}', 'a')`,
    ["x", 2, '{"b":1}', true],
  ],
  [
    `JSONExtractArrayRaw('{"a":[1,"x"]}', 'a'), JSONExtractKeys('{"a":1,"b":2}'), JSONExtractKeysAndValuesRaw('{"a":1}')`,
    [["1", '"x"'], ["a", "b"], [["a", "1"]]],
  ],
  [
    `JSONType('{"a":1}', 'a'), JSONLength('{"a":[1,2]}', 'a'), JSONLength('{"a":1}'), JSONHas('{"a":[1]}', 'a', 1), isValidJSON('{}'), isValidJSON('{')`,
    ["Int64", 2, 1, true, true, false],
  ],
  [
    `toString(JSONExtractInt('{"a":9007199254740993}', 'a')), toString(JSONExtract('{"a":-9223372036854775808}', 'a', 'Int64')), JSONExtractInt('{"a":9223372036854775808}', 'a'), JSONExtractInt('{"a":-1.9}', 'a'), JSONExtractInt('{"a":1e2}', 'a')`,
    ["9007199254740993", "-9223372036854775808", 0, -1, 100],
  ],
  [
    `JSONExtractUInt('{"a":-5}', 'a'), JSONExtractUInt('{"a":5}', 'a'), JSONExtractBool('{"a":"true"}', 'a'), JSONExtractBool('{"a":1}', 'a'), JSONExtractBool('{"a":false}', 'a')`,
    [0, 5, false, true, false],
  ],
  [
    `arrayMap(x -> JSONExtractInt(x, 'n'), JSONExtractArrayRaw('[{"n":1},{"n":2}]')), JSONExtractString('{"ab":"x"}', concat('a', 'b'))`,
    [[1, 2], "x"],
  ],
];

testFunctions(rows, [
  ["arrays", ARRAYS],
  ["tuples and maps", TUPLES],
  ["JSON", JSON_TEXTS],
]);
