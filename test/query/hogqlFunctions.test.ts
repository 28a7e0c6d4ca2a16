import { afterAll } from "bun:test";
import { type Table, testFunctions } from "./functionTables.ts";
import { openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

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
    "toString(toFloat('1709212455123456')), concat('a', toFloat('-9007199254740992')), toString(0 / 0), toString(toFloat('1e15'))",
    ["1709212455123456", "a-9007199254740992", "nan", "1000000000000000"],
  ],
  [
    "round(1250, -2), round(-25, -1), roundBankers(1250, -2), round(2.5), toString(round(9007199254740993)), toString(round(9007199254740995, -1)), round(7, 2)",
    [1300, -30, 1200, 2, "9007199254740993", "9007199254741000", 7],
  ],
  [
    "toString(1.5e16), toString(-123456789012345678.0), concat('x', 1e20), toString(9.999999999999999e20), toString(1e21), toString(-1.5e100)",
    ["15000000000000000", "-123456789012345680", "x100000000000000000000", "999999999999999900000", "1e21", "-1.5e100"],
  ],
  [
    "toString(0.00015), toString(0.0000125), toString(-0.0000012345678901234567), toString(9.5e-7), toString(5e-324)",
    ["0.00015", "0.0000125", "-0.0000012345678901234567", "9.5e-7", "5e-324"],
  ],
  [
    "isNaN(nan), isInfinite(-inf), inf > 1, nan > 1, nan < 1, 1 < nan, 'NaN', concat('Inf', 'inity'), ifNotFinite(inf, 7), arrayMax([1.5, inf]) = inf, not (nan < 1)",
    [true, true, true, false, false, false, "NaN", "Infinity", 7, true, true],
  ],
  [
    "JSONExtractInt('{\"a\":\"1_0\"}', 'a'), JSONExtractFloat('{\"a\":\"1_0\"}', 'a'), toFloat('1_0') + 1",
    [0, 0, null],
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

testFunctions(rows, [
  ["numbers and choices", NUMBERS],
  ["other names", OTHERS],
]);
