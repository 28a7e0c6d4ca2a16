import { afterAll, describe, expect, test } from "bun:test";
import { openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

/** Lists of expressions, each with what they give. */
type Table = [string, unknown[]][];

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
    `arrayMap(x -> JSONExtractInt(x, 'n'), JSONExtractArrayRaw('[{"n":1},{"n":2}]')), JSONExtractString('{"ab":"x"}', concat('a', 'b'))`,
    [[1, 2], "x"],
  ],
];

const TEXTS: Table = [
  [
    "substring('hello', -3), substring('hello', 2), left('hello', 2), right('hello', 2), position('hello', 'l', 4), positionCaseInsensitive('HeL', 'l')",
    ["llo", "ello", "he", "lo", 4, 3],
  ],
  [
    "splitByChar(',', 'a,b'), splitByRegexp('[0-9]', 'a1b'), splitByWhitespace(' a b '), alphaTokens('a1b')",
    [
      ["a", "b"],
      ["a", "b"],
      ["a", "b"],
      ["a", "b"],
    ],
  ],
  [
    "leftPad('a', 3, 'x'), rightPad('a', 2), repeat('ab', 2), reverse('ab'), initcap('hello world'), format('{} {1} {{', 'a', 'b')",
    ["xxa", "a ", "abab", "ba", "Hello World", "a b {"],
  ],
  [
    "replaceOne('aab', 'a', 'x'), replaceRegexpAll('aab', 'a', 'x'), replaceRegexpOne('aab', '(a)', '[\\\\1]'), translate('abc', 'ab', 'xy')",
    ["xab", "xxb", "[a]ab", "xyc"],
  ],
  [
    "extract('abc123', '[0-9]+'), extract('a=b', 'a=(.)'), extract('x', 'y'), extractAll('a1b2', '[a-z]([0-9])'), extractGroups('a1', '(.)(.)')",
    ["123", "b", "", ["1", "2"], ["a", "1"]],
  ],
  [
    "match('ab', 'b'), multiMatchAny('ab', ['c', 'a']), multiSearchAny('abc', ['x', 'b']), countSubstrings('aaa', 'a'), countMatches('a1b2', '[0-9]')",
    [true, true, true, 3, 2],
  ],
  [
    "empty(''), empty([]), empty(null), notEmpty('a'), notEmpty([1]), lengthUTF8('äb'), length('äb'), length([1]), ascii('a')",
    [true, true, true, true, true, 2, 3, 1, 97],
  ],
  [
    "hex('a'), unhex('61'), hex(255), hex(MD5('a')), lower(hex(SHA256('a'))), base64Encode('a'), base64Decode('YQ=='), tryBase64Decode('?')",
    [
      "61",
      "a",
      "FF",
      "0CC175B9C0F1B6A831C399E269772661",
      "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
      "YQ==",
      "a",
      "",
    ],
  ],
  [
    "levenshteinDistance('ab', 'ac'), jaroWinklerSimilarity('ab', 'ab'), sortableSemver('1.20.3-x'), isIPv4String('1.2.3.4'), isIPv4String('1.2.3')",
    [1, 1, [1, 20, 3], true, false],
  ],
  [
    "concatWithSeparator('-', 'a', 'b'), concat('a', null), f'a{1 + 1}b', 'a' || 'b', trimLeft(' a'), startsWith('ab', 'a'), endsWith('ab', 'b')",
    ["a-b", null, "a2b", "ab", "a", true, true],
  ],
];

const URL = "'https://user@www.posthog.com:80/a/b?c=d&e=f%20g#h'";
const URLS: Table = [
  [
    `protocol(${URL}), domain(${URL}), domainWithoutWWW(${URL}), topLevelDomain(${URL}), port(${URL})`,
    ["https", "www.posthog.com", "posthog.com", "com", 80],
  ],
  [
    `path(${URL}), pathFull(${URL}), queryString(${URL}), fragment(${URL}), queryStringAndFragment(${URL})`,
    ["/a/b", "/a/b?c=d&e=f%20g#h", "c=d&e=f%20g", "h", "c=d&e=f%20g#h"],
  ],
  [
    `extractURLParameter(${URL}, 'e'), extractURLParameter(${URL}, 'x'), extractURLParameterNames(${URL}), decodeURLComponent('f%20g'), encodeURLComponent('f g')`,
    ["f%20g", "", ["c", "e"], "f g", "f%20g"],
  ],
  [
    "cutQueryString('https://x.com/a?b=c#d'), cutFragment('/a#d'), cutURLParameter('http://x/?a=1&b=2', 'a'), cutWWW('https://www.x.com')",
    ["https://x.com/a#d", "/a", "http://x/?b=2", "https://x.com"],
  ],
  [
    "cutToFirstSignificantSubdomain('https://news.bbc.co.uk/x'), cutToFirstSignificantSubdomain('https://a.posthog.com'), firstSignificantSubdomain('https://a.posthog.com')",
    ["bbc.co.uk", "posthog.com", "posthog"],
  ],
  [
    "domain('posthog.com/x'), domain('/x/y'), domain(''), path('/a?b'), extractURLParameter('?a.b=1', 'a.b'), extractURLParameter('?axb=1', 'a.b')",
    ["posthog.com", "", "", "/a", "1", ""],
  ],
];

const NUMBERS: Table = [
  [
    "plus(1, 2), minus(1, 2), multiply(2, 3), divide(1, 2), negate(1), 1 / 0, intDiv(-7, 2), modulo(7, 3), positiveModulo(-1, 3), intDivOrZero(1, 0)",
    [3, -1, 6, 0.5, -1, null, -3, 1, 2, 0],
  ],
  [
    "gcd(4, 6), lcm(4, 6), trunc(1.7), sin(0), atan2(0, 1), bitAnd(5, 1), bitOr(5, 2), bitXor(5, 1), bitShiftLeft(1, 3), bitCount(7), bitTest(5, 2)",
    [2, 12, 1, 0, 0, 1, 7, 4, 8, 3, 1],
  ],
  [
    "greatest(1, 2.5), least(1, 2), isNaN(0 / 0), isFinite(1), ifNotFinite(1 / 0, 7), factorial(5), pow(2, 3), exp2(3), cbrt(8), hypot(3, 4), sign(-2)",
    [2.5, 1, true, true, 7, 120, 8, 8, 2, 5, -1],
  ],
  [
    "toInt32OrNull('x'), toInt64OrZero('x'), toInt64OrDefault('x', 5), toUInt8('3'), toFloatOrZero('x'), toDecimal('1.239', 2), toDateOrNull('x'), toBool('false')",
    [null, 0, 5, 3, 0, 1.23, null, false],
  ],
  [
    "transform('b', ['a', 'b'], [1, 2], 0), transform('z', ['a'], ['x'], 'q'), in(1, [1, 2]), in(1, (1, 2)), notIn(3, [1]), xor(true, false), toTypeName([1.5])",
    [2, "q", true, true, true, true, "Array(Float64)"],
  ],
  [
    "if(null, 1, 2), multiIf(false, 1, null, 2, 3), coalesce(null, 1), 5 ?? 6, 1 = 1 ? 'y' : 'n', isZeroOrNull(null), rand() >= 0, randCanonical() < 1",
    [2, 3, 1, 5, "y", true, true, true],
  ],
];

const DATES: Table = [
  [
    "formatDateTime(toDateTime('2020-03-11 10:05:09'), '%Y-%m-%d %H:%i:%S %M %b %a %e %c %% %y %j')",
    ["2020-03-11 10:05:09 March Mar Wed 11 3 % 20 071"],
  ],
  [
    "dateName('month', toDate('2020-03-11')), monthName(toDate('2020-03-11')), dayName(toDate('2020-03-11')), parseDateTime('2020/03/11', '%Y/%m/%d'), parseDateTime('x', '%Y')",
    ["March", "March", "Wednesday", "2020-03-11T00:00:00Z", null],
  ],
  [
    "toWeek(toDate('2020-03-11')), toWeek(toDate('2020-03-11'), 3), toYearWeek(toDate('2020-03-11')), toISOYear(toDate('2020-01-01')), toDayOfWeek(toDate('2020-03-15')), toDayOfWeek(toDate('2020-03-15'), 3)",
    [10, 11, 202010, 2020, 7, 1],
  ],
  [
    "toStartOfInterval(toDateTime('2020-03-11 10:00:00'), interval 2 week), toStartOfInterval(toDateTime('2020-05-11'), interval 3 month), toStartOfISOYear(toDate('2020-05-05')), toMonday(toDate('2020-05-05'))",
    ["2020-03-09", "2020-04-01", "2019-12-30", "2020-05-04"],
  ],
  [
    "makeDate(2020, 1, 2), makeDateTime(2020, 1, 2, 3, 4, 5), makeDate(2020, 13, 1), UUIDv7ToDateTime('016f6658-4ec8-7000-8000-000000000001')",
    ["2020-01-02", "2020-01-02T03:04:05Z", null, "2020-01-02T13:01:01Z"],
  ],
  [
    "fromUnixTimestamp64Milli(1000), toUnixTimestamp64Milli(toDateTime('2020-01-01')), toYYYYMMDDhhmmss(toDateTime('2020-01-02 03:04:05')), toLastDayOfMonth(toDate('2020-02-03'))",
    ["1970-01-01T00:00:01Z", 1577836800000, 20200102030405, "2020-02-29"],
  ],
];

/** Names that are said in no other table: other words for the same, other widths, other units. */
const OTHERS: Table = [
  ["arrayLastOrNull(x -> x > 5, [1]), arrayDistinct([1, 1]), arrayProduct([2, 3])", [null, [1], 6]],
  [
    "now64(), curdate(), current_date(), date_trunc('month', toDate('2020-02-03')), date_diff('day', toDate('2020-02-03'), toDate('2020-02-05')), date_add('day', 1, toDate('2020-02-03')), date_sub('day', 1, toDate('2020-02-03')), dateSub('day', 1, toDate('2020-02-03'))",
    ["2020-02-20T10:00:00Z", "2020-02-20", "2020-02-20", "2020-02-01", 2, "2020-02-04", "2020-02-02", "2020-02-02"],
  ],
  [
    "toYear(toDate('2020-02-03')), toQuarter(toDate('2020-02-03')), toMonth(toDate('2020-02-03')), toDayOfMonth(toDate('2020-02-03')), toDayOfYear(toDate('2020-02-03')), toISOWeek(toDate('2020-02-03')), toMinute(toDateTime('2020-02-03 04:05:06')), toSecond(toDateTime('2020-02-03 04:05:06')), toMillisecond(toDateTime('2020-02-03 04:05:06.789')), toYYYYMMDD(toDate('2020-02-03')), toUnixTimestamp64Micro(toDateTime('1970-01-01 00:00:01')), fromUnixTimestamp(1), fromUnixTimestamp64Micro(1000000)",
    [2020, 1, 2, 3, 34, 6, 5, 6, 789, 20200203, 1000000, "1970-01-01T00:00:01Z", "1970-01-01T00:00:01Z"],
  ],
  [
    "parseDateTimeOrNull('2020', '%Y'), parseDateTimeBestEffort('2020-01-02T03:04:05Z'), parseDateTimeBestEffortOrNull('x'), parseDateTime64BestEffort('2020-01-02', 3), parseDateTime64BestEffortOrNull('x'), toDateTime64('2020-01-02', 3), toDateTime64('2020-01-02', 3, 'Asia/Tokyo'), toDateTimeOrNull('x'), toDateTimeOrZero('x'), toDateTimeOrDefault('x', toDateTime('2020-01-01')), toDateOrZero('x'), toDateOrDefault('x', toDate('2020-01-01')), toDate32('2020-01-01')",
    [
      "2020-01-01T00:00:00Z",
      "2020-01-02T03:04:05Z",
      null,
      "2020-01-02T00:00:00Z",
      null,
      "2020-01-02T00:00:00Z",
      "2020-01-02T00:00:00+09:00",
      null,
      null,
      "2020-01-01T00:00:00Z",
      null,
      "2020-01-01",
      "2020-01-01",
    ],
  ],
  [
    "assumeNotNull(1), notEquals(1, 2), less(1, 2), lessOrEquals(2, 2), greaterOrEquals(1, 2), like('a', 'a'), notLike('a', 'b'), ilike('A', 'a'), notILike('a', 'b'), isDistinctFrom(1, null), isNotDistinctFrom(null, null), equals(1, 1), greater(2, 1), match('a', 'a'), and(1, 0), or(1, 0), not(1)",
    [1, true, true, true, false, true, true, true, true, true, true, true, true, true, false, true, false],
  ],
  [
    "toIntOrNull('1'), toInt8('1'), toInt16('1'), toInt32('1'), toInt64('1'), toUInt16('1'), toUInt32('1'), toUInt64('1'), toFloat32('1.5'), toFloat64OrDefault('x', 2), toFloatOrNull('x'), toBoolOrZero('x'), toBoolOrDefault('x', true), toUUIDOrZero('x'), toUUIDOrNull('x'), toUUIDOrDefault('x', toUUID('0190a1b2-0000-7000-8000-000000000001')), toDecimal32('1.55', 1), toNullable(1), materialize(1), identity(1)",
    [
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1,
      1.5,
      2,
      null,
      false,
      true,
      null,
      null,
      "0190a1b2-0000-7000-8000-000000000001",
      1.5,
      1,
      1,
      1,
    ],
  ],
  [
    "toStartOfSecond(toDateTime('2020-02-03 04:05:06')), toStartOfMinute(toDateTime('2020-02-03 04:05:06')), toStartOfQuarter(toDate('2020-02-03')), toStartOfTenMinutes(toDateTime('2020-02-03 04:15:06')), toStartOfFifteenMinutes(toDateTime('2020-02-03 04:05:06')), toStartOfFiveMinute(toDateTime('2020-02-03 04:05:06'))",
    [
      "2020-02-03T04:05:06Z",
      "2020-02-03T04:05:00Z",
      "2020-01-01",
      "2020-02-03T04:10:00Z",
      "2020-02-03T04:00:00Z",
      "2020-02-03T04:05:00Z",
    ],
  ],
  [
    "addSeconds(toDateTime('2020-02-03'), 1), subtractMinutes(toDateTime('2020-02-03'), 1), addHours(toDateTime('2020-02-03'), 1), addWeeks(toDate('2020-02-03'), 1), subtractMonths(toDate('2020-02-03'), 1), addQuarters(toDate('2020-02-03'), 1), addYears(toDate('2020-02-03'), 1), subtractYears(toDate('2020-02-03'), 1), toDate('2020-02-03') + toIntervalDay(1), toDate('2020-02-03') - toIntervalWeek(1)",
    [
      "2020-02-03T00:00:01Z",
      "2020-02-02T23:59:00Z",
      "2020-02-03T01:00:00Z",
      "2020-02-10",
      "2020-01-03",
      "2020-05-03",
      "2021-02-03",
      "2019-02-03",
      "2020-02-04",
      "2020-01-27",
    ],
  ],
  [
    "moduloOrZero(1, 0), roundBankers(2.5), ceiling(1.2), truncate(-1.7), exp(0), exp10(2), ln(1), log(1), log2(8), log10(100), log1p(0), power(2, 3), tan(0), asin(0), acos(1), atan(0), sinh(0), cosh(0), tanh(0), degrees(0), radians(0), round(pi(), 2), round(e(), 2), max2(1, 2), min2(1, 2), isInfinite(1 / 0), bitNot(0), bitShiftRight(8, 1), rand64() > 0",
    [0, 2, 2, -1, 1, 100, 0, 0, 3, 2, 0, 8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 3.14, 2.72, 2, 1, true, -1, 4, true],
  ],
  [
    "regexpReplace('aa', 'a', 'b'), regexpQuoteMeta('a.b'), lowerUTF8('Ä'), upperUTF8('ä'), substr('abc', 2), substringUTF8('äbc', 2), mid('abc', 2, 1), leftUTF8('ab', 1), rightUTF8('ab', 1), positionUTF8('äb', 'b'), positionCaseInsensitiveUTF8('ÄB', 'b'), multiSearchAnyCaseInsensitive('ABC', ['b']), trimBoth(' a '), trimRight('a '), leftPadUTF8('a', 2), rightPadUTF8('a', 2, '-'), reverseUTF8('äb'), splitByString('--', 'a--b'), splitByNonAlpha('a,b'), editDistance('a', 'b'), damerauLevenshteinDistance('ab', 'ba'), jaroSimilarity('a', 'a'), hex(SHA1('a')), toValidUTF8('a'), length(toString(generateUUIDv4()))",
    [
      "bb",
      "a\\.b",
      "ä",
      "Ä",
      "bc",
      "bc",
      "b",
      "a",
      "b",
      2,
      2,
      true,
      "a",
      "a",
      " a",
      "a-",
      "bä",
      ["a", "b"],
      ["a", "b"],
      1,
      1,
      1,
      "86F7E437FAA5A7FCE15D1DDCB9EAEAEA377667B8",
      "a",
      36,
    ],
  ],
  [
    "tupleMinus((3, 2), (1, 1)), tupleMultiply((2, 3), (2, 2)), mapGet(map('a', 1), 'a'), mapUpdate(map('a', 1), map('b', 2)), mapToArrays(map('a', 1)), JSONExtractFloat('{\"a\":1.5}', 'a'), extractURLParameters('http://x?a=1&b=2'), cutQueryStringAndFragment('http://x/a?b#c'), decodeURLFormComponent('a+b')",
    [[2, 1], [4, 6], 1, { a: 1, b: 2 }, [["a"], [1]], 1.5, ["a=1", "b=2"], "http://x/a", "a b"],
  ],
];

describe.each<[string, Table]>([
  ["arrays", ARRAYS],
  ["tuples and maps", TUPLES],
  ["JSON", JSON_TEXTS],
  ["texts", TEXTS],
  ["addresses", URLS],
  ["numbers and choices", NUMBERS],
  ["dates", DATES],
  ["other names", OTHERS],
])("%s", (_, table) => {
  test.each(table)("%s", async (list, expected) => {
    expect(await rows(`select ${list}`)).toEqual([expected]);
  });
});

test("a time shown in another zone keeps it", async () => {
  const shown = "toTimeZone(toDateTime('2020-03-11 02:00:00'), 'America/New_York')";
  expect(
    await rows(
      `select ${shown}, toHour(${shown}), toDate(${shown}), toStartOfDay(${shown}), ${shown} + interval 1 day, toString(${shown})`,
    ),
  ).toEqual([
    [
      "2020-03-10T22:00:00-04:00",
      22,
      "2020-03-10",
      "2020-03-10T00:00:00-04:00",
      "2020-03-11T22:00:00-04:00",
      "2020-03-10 22:00:00",
    ],
  ]);
});
