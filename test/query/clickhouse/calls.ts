/**
 * Calls of functions by name: a list of arguments for each way to call it. An argument is a kind of `values.ts`, `time` or
 * `date` among them, or after `=` what both engines read as it stands.
 */
export interface Calls {
  ways: string[][];
  /** How PostHog prints the call for ClickHouse, where that is not the call itself. */
  print?: (...args: string[]) => string;
}

type Print = NonNullable<Calls["print"]>;

const ways = (...list: string[]): Calls => ({
  ways: list.map((way) => (way === "" ? [] : way.split(" | "))),
});
const as = (print: Print, ...list: string[]): Calls => ({ ...ways(...list), print });
const named =
  (name: string): Print =>
  (...args) =>
    `${name}(${args.join(", ")})`;
const each = (names: string, calls: Calls): Record<string, Calls> =>
  Object.fromEntries(names.split(" ").map((name) => [name, calls]));

/** A NULL meets no pattern. */
const orFalse =
  (name: string): Print =>
  (...args) =>
    `ifNull(${name}(${args.join(", ")}), 0)`;

const cast =
  (type: string): Print =>
  (x) =>
    `accurateCastOrNull(${x}, '${type}')`;
const bestEffort: Print = (x) => `parseDateTime64BestEffortOrNull(${x}, 6)`;

const UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
const capital = (unit: string) => unit[0]!.toUpperCase() + unit.slice(1);
const ofUnits = (names: (unit: string) => string, calls: (unit: string) => Calls): Record<string, Calls> =>
  Object.fromEntries(UNITS.map((unit) => [names(unit), calls(unit)]));

const CONVERSIONS: Record<string, Calls> = {
  toString: ways("text", "int", "float", "date", "bool", "ints", "words"),
  toInt: as(cast("Int64"), "numberText", "float", "int", "bool", "text"),
  toIntOrZero: as(named("toInt64OrZero"), "numberText"),
  ...each("toInt64OrNull toInt64OrZero", ways("numberText")),
  toInt64: ways("float", "int", "bool", "date"),
  toInt64OrDefault: ways("float", "int"),
  toFloat: as(cast("Float64"), "numberText", "float", "int", "bool"),
  toFloatOrZero: as(named("toFloat64OrZero"), "numberText"),
  toFloatOrDefault: as(named("toFloat64OrDefault"), "numberText | float"),
  ...each("toFloat64OrNull toFloat64OrZero", ways("numberText")),
  toFloat64: ways("float", "int", "bool"),
  toBool: ways("int", "bool"),
  toUUID: as(cast("UUID"), "uuidText"),
  toDate: as((x) => (x.startsWith("to") ? `toDate(${x})` : `toDateOrNull(${x})`), "timeText", "time", "date"),
  toDateOrNull: ways("timeText"),
  toDateTime: as(
    (x) => (/^to(Date\(|TimeZone)/.test(x) ? `toDateTime64(${x}, 6)` : bestEffort(x)),
    "timeText",
    "date",
    "='2024-02-29 1:2:3'",
    "='29 Feb 2024 1:2'",
  ),
  ...each(
    "parseDateTimeBestEffort parseDateTimeBestEffortOrNull parseDateTime64BestEffortOrNull",
    as(bestEffort, "timeText"),
  ),
  toDecimal: as((x, n) => `accurateCastOrNull(${x}, 'Decimal64(${n})')`, "numberText | =2", "float | =1"),
  toDate32: ways("date"),
  toTimeZone: ways("time | ='Asia/Tokyo'"),
  ...each("toNullable materialize identity", ways("text", "int", "date")),
  assumeNotNull: ways("text", "int"),
};

const CONDITIONS: Record<string, Calls> = {
  if: ways("bool | text | text", "bool | int | int"),
  multiIf: ways("bool | text | bool | text | text"),
  ...each("ifNull coalesce nullIf", ways("text | text", "int | int")),
  ...each("isNull isNotNull", ways("text", "int", "date")),
  ...each("and or xor", ways("bool | bool")),
  not: ways("bool"),
  isZeroOrNull: ways("int", "float"),
  ...each("isDistinctFrom isNotDistinctFrom", ways("text | text", "int | int")),
  transform: ways("int | =[1, 7] | =['one', 'seven'] | ='other'", "text | =['a', ''] | =['x', 'y']"),
};

const ROUNDING = each(
  "round floor ceil ceiling trunc truncate",
  ways("float", "float | places", "int", "int | places"),
);
const NUMBERS: Record<string, Calls> = {
  ...each("plus minus multiply", ways("int | int", "float | float", "int | float")),
  divide: ways("int | int", "float | float"),
  negate: ways("int", "float"),
  ...each("intDiv intDivOrZero modulo moduloOrZero positiveModulo", ways("int | int")),
  ...each("gcd lcm", ways("int | int")),
  ...ROUNDING,
  roundBankers: ways("float", "float | places"),
  ...each("abs sign", ways("int", "float")),
  ...each(
    "sqrt cbrt exp exp2 exp10 ln log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh degrees radians",
    ways("float", "int"),
  ),
  ...each("pow power atan2 hypot", ways("float | float")),
  ...each("pi e", ways("")),
  factorial: ways("small"),
  ...each("greatest least", ways("int | int", "text | text", "date | date", "time | time")),
  ...each("max2 min2", ways("int | int", "float | float")),
  ...each("isNaN isFinite isInfinite", ways("float")),
  ifNotFinite: ways("float | float"),
  ...each("bitAnd bitOr bitXor", ways("int | int")),
  bitNot: ways("int"),
  ...each("bitShiftLeft bitShiftRight bitTest", ways("int | bits")),
  bitCount: ways("int"),
};

const LIKES = ["'a%B'", "'%\\\\b%'", "'%\\\\%%'", "'a_b'", "'%\\\\\\\\b'"].map((pattern) => `line | =${pattern}`);
const TEXTS: Record<string, Calls> = {
  ...each(
    "lower upper lowerUTF8 upperUTF8 initcap length lengthUTF8 empty notEmpty reverseUTF8 toValidUTF8 MD5 SHA1 SHA256",
    ways("text"),
  ),
  reverse: ways("part", "ints"),
  ascii: ways("part"),
  ...each("concat startsWith endsWith", ways("text | part")),
  concatWithSeparator: ways("part | text | text"),
  format: ways("='{}-{1}-{{}}' | text | =1", "='{1}{0}' | text | text"),
  substring: as(named("substringUTF8"), "text | small | small", "text | small", "text | =-3", "text | =-100"),
  ...each("substr mid", as(named("substringUTF8"), "text | =2 | =3")),
  substringUTF8: ways("text | small | small", "text | small"),
  left: as(named("leftUTF8"), "text | small"),
  right: as(named("rightUTF8"), "text | small"),
  ...each("leftUTF8 rightUTF8", ways("text | small")),
  ...each("positionUTF8 positionCaseInsensitiveUTF8", ways("text | part", "text | part | =2")),
  position: as(named("positionUTF8"), "text | part", "text | part | =2"),
  positionCaseInsensitive: as(named("positionCaseInsensitiveUTF8"), "text | part", "text | part | =2"),
  countSubstrings: ways("text | part"),
  ...each("multiSearchAny multiSearchAnyCaseInsensitive", ways("text | =['a', 'WORLD']", "text | =['']")),
  ...each("replace replaceAll replaceOne", ways("text | part | part")),
  translate: as(named("translateUTF8"), "text | ='aö' | ='xy'", "text | ='abc' | ='x'"),
  ...each("trim trimBoth trimLeft trimRight", ways("text", "text | =' xa'")),
  leftPad: as(named("leftPadUTF8"), "text | small", "text | small | ='ab'"),
  rightPad: as(named("rightPadUTF8"), "text | small", "text | small | ='ab'"),
  ...each("leftPadUTF8 rightPadUTF8", ways("text | small", "text | small | ='ab'")),
  repeat: ways("text | small"),
  splitByChar: ways("=',' | text", "=',' | text | small"),
  splitByString: ways("='a' | text", "='' | text", "=', ' | text", "=',' | text | small"),
  splitByRegexp: ways("='[, ]+' | text", "='' | text", "='a.' | line"),
  ...each("splitByWhitespace splitByNonAlpha alphaTokens", ways("text")),
  ...each("levenshteinDistance editDistance", as(named("editDistanceUTF8"), "text | part")),
  damerauLevenshteinDistance: ways("text | part"),
  ...each("jaroSimilarity jaroWinklerSimilarity", ways("part | part", "='martha' | ='marhta'")),
  base64Encode: ways("text"),
  base64Decode: ways("base64"),
  tryBase64Decode: ways("base64"),
  hex: ways("text", "small"),
  unhex: ways("hexText"),
  isIPv4String: ways("ipText"),
  sortableSemver: as(
    (x) => `arrayMap(x -> toInt64OrZero(x), splitByChar('.', extract(assumeNotNull(${x}), '(\\\\d+(\\\\.\\\\d+)+)')))`,
    "version",
  ),
  like: as(orFalse("like"), ...LIKES),
  ilike: as(orFalse("ilike"), ...LIKES),
  match: as(
    orFalse("match"),
    "line | ='a.b'",
    "line | ='^b'",
    "line | ='a$'",
    "line | ='(?i)A.B'",
    "line | ='(?-s)a.b'",
  ),
  extract: ways("text | ='o.'", "text | ='(l+)(o)'", "text | =''", "line | ='a(.)b'"),
  extractAll: ways("text | ='o.'", "text | ='(l)(o|d)'", "text | ='a*'", "line | ='a.b'"),
  extractGroups: ways("text | ='(l)(o|d)'", "line | ='a(.)(b)'"),
  ...each(
    "replaceRegexpAll replaceRegexpOne",
    ways(
      "text | ='[ao]' | ='<\\\\0>'",
      "text | ='(l)(o)' | ='\\\\2\\\\1'",
      "text | ='^' | ='x'",
      "text | ='a*' | ='-'",
      "line | ='a.b' | ='-'",
    ),
  ),
  regexpQuoteMeta: ways("text", "='a.b[c]\\\\d-e#f'"),
  countMatches: ways("text | ='a'", "text | ='(l)(o)?'", "text | ='a*'", "line | ='a.b'"),
  multiMatchAny: ways("text | =['^a', 'ö']", "line | =['a.b', 'x']"),
  cityHash64: ways("text"),
};

const URLS: Record<string, Calls> = {
  ...each(
    "protocol domain domainWithoutWWW topLevelDomain firstSignificantSubdomain cutToFirstSignificantSubdomain port path pathFull queryString fragment queryStringAndFragment extractURLParameters extractURLParameterNames cutWWW cutQueryString cutFragment cutQueryStringAndFragment encodeURLComponent",
    ways("url"),
  ),
  ...each("extractURLParameter cutURLParameter", ways("url | ='x'", "url | ='y'", "url | ='z'", "url | =''")),
  ...each("decodeURLComponent decodeURLFormComponent", ways("encoded")),
};

const DATES: Record<string, Calls> = {
  ...ofUnits(
    (unit) => `toStartOf${capital(unit)}`,
    (unit) =>
      /second|minute|hour/.test(unit)
        ? ways("time")
        : unit === "week"
          ? ways("instant | =0", "instant | =1", "date | =0", "date | =1", "date | =3")
          : ways("time", "date"),
  ),
  ...ofUnits(
    (unit) => `add${capital(unit)}s`,
    (unit) => ways("time | small", ...(/second|minute|hour/.test(unit) ? [] : ["date | small"])),
  ),
  ...ofUnits(
    (unit) => `subtract${capital(unit)}s`,
    (unit) => (/second|minute|hour/.test(unit) ? ways("instant | =1") : ways("instant | =1", "date | small")),
  ),
  ...each("toStartOfFiveMinutes toStartOfFiveMinute toStartOfTenMinutes toStartOfFifteenMinutes", ways("time")),
  toStartOfInterval: ways(
    ...["5 minute", "20 minute", "1 hour", "6 hour", "5 hour", "36 hour", "7 second"].map(
      (width) => `time | =interval ${width}`,
    ),
    ...["1 day", "3 day", "1 week", "2 week", "5 month", "3 year"].map((width) => `instant | =interval ${width}`),
    ...["1 week", "2 week", "1 month"].map((width) => `date | =interval ${width}`),
  ),
  ...each("toMonday toStartOfISOYear toLastDayOfMonth", ways("instant", "date")),
  toLastDayOfWeek: ways("instant", "date", "date | =0", "date | =1", "instant | =1"),
  dateTrunc: ways(...UNITS.map((unit) => `='${unit}' | time`), "='week' | date", "='month' | date"),
  date_trunc: ways("='week' | date"),
  date_diff: ways("='week' | date | date"),
  ...each(
    "dateDiff age",
    ways(
      ...UNITS.map((unit) => `='${unit}' | time | time`),
      ...["day", "week", "month", "year"].map((unit) => `='${unit}' | date | date`),
    ),
  ),
  dateAdd: ways("instant | =interval 1 month", "date | =interval 2 week"),
  dateSub: ways("instant | =interval 1 month"),
  ...each(
    "toYear toQuarter toMonth toDayOfMonth toDayOfYear toISOWeek toISOYear toYYYYMM toYYYYMMDD",
    ways("instant", "date"),
  ),
  ...each("toHour toMinute toSecond toMillisecond toYYYYMMDDhhmmss", ways("instant")),
  toDayOfWeek: ways("instant", "date", "date | =0", "date | =1", "date | =2", "date | =3"),
  ...each("toWeek toYearWeek", ways("instant", "date", ...Array.from({ length: 10 }, (_, mode) => `date | =${mode}`))),
  toUnixTimestamp: ways("instant", "date"),
  ...each("toUnixTimestamp64Milli toUnixTimestamp64Micro", ways("instant")),
  ...each("fromUnixTimestamp fromUnixTimestamp64Milli fromUnixTimestamp64Micro", ways("seconds")),
  makeDate: ways("year | =2 | =29", "year | =12 | small", "year | small | =1"),
  makeDateTime: ways("year | =12 | small | =1 | =2 | =3", "year | =1 | =1 | small | =0 | =0"),
  UUIDv7ToDateTime: as((x) => `UUIDv7ToDateTime(toUUIDOrZero(${x}))`, "='016f6658-4ec8-7000-8000-000000000001'"),
  monthName: ways("instant", "date"),
  dayName: as((x) => `dateName('weekday', ${x})`, "instant", "date"),
  dateName: ways(
    ...["year", "quarter", "month", "dayofyear", "day", "week", "weekday", "hour", "minute", "second"].map(
      (unit) => `='${unit}' | time`,
    ),
  ),
  formatDateTime: ways(
    "instant | ='%Y-%m-%d %H:%i:%s'",
    "instant | ='%a %b %c %C %d %D %e %F %G %g %h %I %j %k %l %m %M %n %p %Q %r %R %S %t %T %u %V %w %W %y %z %%'",
    "instant | ='%H:%i' | ='Asia/Tokyo'",
    "date | ='%Y/%m/%d %H'",
  ),
  ...each(
    "parseDateTime parseDateTimeOrNull",
    as(
      named("parseDateTimeOrNull"),
      "='2024-02-29 13:14' | ='%Y-%m-%d %H:%i'",
      "timeText | ='%Y-%m-%d %H:%i:%s'",
      "timeText | ='%Y-%m-%d'",
      "='3/2/24 1:05 PM' | ='%e/%c/%y %h:%i %p'",
    ),
  ),
};

const PATHS = [
  "",
  " | ='a'",
  " | ='b'",
  " | ='b' | =1",
  " | ='b' | =-1",
  " | ='b' | =-9",
  " | =1",
  " | =-1",
  " | =4 | ='a'",
  " | ='c' | ='d'",
  " | ='c'",
  " | ='n'",
  " | ='z'",
  " | ='f'",
  " | ='q' | ='r'",
];
const ofJson = ways(...PATHS.map((path) => `json${path}`));
const JSONS: Record<string, Calls> = {
  ...each(
    "JSONExtractString JSONExtractInt JSONExtractUInt JSONExtractFloat JSONExtractBool JSONExtractRaw JSONExtractArrayRaw JSONExtractKeys JSONExtractKeysAndValuesRaw JSONHas JSONLength JSONType",
    ofJson,
  ),
  JSONExtract: ways(
    ...["Int64", "String", "Float64", "Bool", "Nullable(Int64)", "Nullable(String)"].flatMap((type) =>
      ["a", "s", "f", "q", "n"].map((key) => `json | ='${key}' | ='${type}'`),
    ),
    "json | ='b' | ='Array(String)'",
    "json | ='b' | ='Array(Nullable(Int64))'",
    "json | ='Array(Int64)'",
    "json | ='b' | =-1 | ='Bool'",
  ),
  isValidJSON: ways("json"),
  toJSONString: ways("text", "int", "float", "date", "ints", "words", "map"),
};

const LAMBDAS = ["=x -> x > 1 | fullInts", "=x -> x = 1 | fullInts"];
const ARRAYS: Record<string, Calls> = {
  array: ways("int | int", "text | text"),
  arrayMap: ways("=x -> x * 2 | ints", "=x -> concat(x, '!') | words", "=(x, y) -> x + y | =[1, 2] | =[3, 4]"),
  ...each(
    "arrayFilter arrayFirst arrayFirstOrNull arrayLast arrayLastOrNull arrayFirstIndex arrayLastIndex arraySplit arrayReverseSplit",
    ways(...LAMBDAS),
  ),
  ...each("arrayCount arrayExists arrayAll", ways(...LAMBDAS, "=[1, 0, 1]")),
  arrayFill: ways(...LAMBDAS, "=x -> isNotNull(x) | ints"),
  arrayReverseFill: ways(...LAMBDAS, "=x -> isNotNull(x) | ints"),
  ...each("arraySum arrayAvg arrayMin arrayMax", ways("fullInts", "=x -> x * 2 | fullInts", "=[1.5, -2.5]")),
  ...each("arraySort arrayReverseSort", ways("ints", "words", "floats", "=x -> -x | fullInts")),
  arrayFold: ways("=(acc, x) -> acc + x | fullInts | =toInt64(0)"),
  arrayReduce: ways("='sum' | fullInts", "='max' | fullInts", "='uniq' | fullInts", "='avg' | fullInts"),
  arrayCumSum: ways("fullInts", "=[1.5, 2.5]", "=x -> x * 2 | fullInts"),
  arrayDifference: ways("fullInts", "=[1.5, 2.0]"),
  ...each(
    "arrayCompact arrayDistinct arrayUniq arrayReverse arrayPopBack arrayPopFront arrayEnumerate length empty notEmpty",
    ways("ints", "words"),
  ),
  arrayElement: ways("fullInts | small", "words | small"),
  ...each("has indexOf countEqual", ways("ints | oneInt", "words | oneWord")),
  ...each("hasAny hasAll", ways("ints | ints", "words | words")),
  arrayConcat: ways("ints | ints", "words | words"),
  arrayIntersect: as((a, b) => `arraySort(arrayIntersect(${a}, ${b}))`, "fullInts | fullInts"),
  arraySlice: ways("ints | small", "ints | small | small"),
  ...each("arrayPushBack arrayPushFront", ways("ints | oneInt", "words | oneWord")),
  arrayResize: ways("ints | small", "words | small | ='z'"),
  arrayZip: ways("=[1, 2] | =['a', 'b']", "=[] | =[]"),
  arrayFlatten: ways("lists"),
  arrayWithConstant: ways("small | ='x'", "small | =1"),
  arrayStringConcat: ways("words", "words | =', '"),
  arrayProduct: ways("fullInts", "=[1.5, 2.0]"),
  range: ways("small", "=1 | small", "=0 | =10 | =3", "=5 | =0 | =-2"),
};

const TUPLES: Record<string, Calls> = {
  tuple: ways("int | text"),
  tupleElement: ways("=(1, 'a') | =2"),
  ...each("tuplePlus tupleMinus tupleMultiply", ways("=(1, 2) | =(3, 4.5)")),
  map: ways("='a' | =1 | ='b' | =2"),
  mapFromArrays: ways("=['a', 'b'] | =[1, 2]"),
  ...each("mapKeys mapValues length empty notEmpty", ways("map")),
  mapContains: ways("map | ='a'", "map | ='z'"),
  mapUpdate: ways("map | =map('a', 9, 'c', 3)"),
  mapFilter: ways("=(k, v) -> v > 1 | map"),
  mapApply: ways("=(k, v) -> (upper(k), v + 1) | map"),
};

const all = [CONVERSIONS, CONDITIONS, NUMBERS, TEXTS, URLS, DATES, JSONS, ARRAYS, TUPLES];

/** Every function of the table that gives the same answer each time, but aggregates and window functions: see `rows.ts`. */
export const CALLS: ReadonlyMap<string, Calls[]> = all.reduce((known, table) => {
  for (const [name, calls] of Object.entries(table)) known.set(name, [...(known.get(name) ?? []), calls]);
  return known;
}, new Map<string, Calls[]>());
