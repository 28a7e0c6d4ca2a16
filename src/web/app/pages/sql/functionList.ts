// Made by scripts/docs from the function tables of HogQL.

/** Every function by what it is about: a line each, with its call and its result. */
export const FUNCTION_LIST: Readonly<Record<string, string>> = {
  Conversions: `
identity(any) → like the argument
materialize(any) → like the argument
parseDateTime64BestEffort(any, int?, any?) → time
parseDateTime64BestEffortOrNull(any, int?, any?) → time
parseDateTimeBestEffort(any, any?) → time
parseDateTimeBestEffortOrNull(any, any?) → time
toBool(any) → boolean
toBoolOrDefault(any, any?) → boolean
toBoolOrNull(any) → boolean
toBoolOrZero(any) → boolean
toDate(any) → date
toDate32(any) → date
toDateOrDefault(any, any?) → date
toDateOrNull(any) → date
toDateOrZero(any) → date
toDateTime(any, any?) → time
toDateTime64(any, int?, any?) → time
toDateTimeOrDefault(any, any?) → time
toDateTimeOrNull(any) → time
toDateTimeOrZero(any) → time
toDecimal(any, int?) → number
toDecimal128(any, int?) → number
toDecimal32(any, int?) → number
toDecimal64(any, int?) → number
toFloat(any) → number
toFloat32(any) → number
toFloat32OrDefault(any, any?) → number
toFloat32OrNull(any) → number
toFloat32OrZero(any) → number
toFloat64(any) → number
toFloat64OrDefault(any, any?) → number
toFloat64OrNull(any) → number
toFloat64OrZero(any) → number
toFloatOrDefault(any, any?) → number
toFloatOrNull(any) → number
toFloatOrZero(any) → number
toInt(any) → integer
toInt16(any) → integer
toInt16OrDefault(any, any?) → integer
toInt16OrNull(any) → integer
toInt16OrZero(any) → integer
toInt32(any) → integer
toInt32OrDefault(any, any?) → integer
toInt32OrNull(any) → integer
toInt32OrZero(any) → integer
toInt64(any) → integer
toInt64OrDefault(any, any?) → integer
toInt64OrNull(any) → integer
toInt64OrZero(any) → integer
toInt8(any) → integer
toInt8OrDefault(any, any?) → integer
toInt8OrNull(any) → integer
toInt8OrZero(any) → integer
toIntOrDefault(any, any?) → integer
toIntOrNull(any) → integer
toIntOrZero(any) → integer
toNullable(any) → like the argument
toString(any) → text
toTimeZone(time, any) → time
toTypeName(any) → text
toUInt16(any) → integer
toUInt16OrDefault(any, any?) → integer
toUInt16OrNull(any) → integer
toUInt16OrZero(any) → integer
toUInt32(any) → integer
toUInt32OrDefault(any, any?) → integer
toUInt32OrNull(any) → integer
toUInt32OrZero(any) → integer
toUInt64(any) → integer
toUInt64OrDefault(any, any?) → integer
toUInt64OrNull(any) → integer
toUInt64OrZero(any) → integer
toUInt8(any) → integer
toUInt8OrDefault(any, any?) → integer
toUInt8OrNull(any) → integer
toUInt8OrZero(any) → integer
toUUID(any) → UUID
toUUIDOrDefault(any, any?) → UUID
toUUIDOrNull(any) → UUID
toUUIDOrZero(any) → UUID
`,
  "Conditions and NULL": `
and(condition, condition…) → boolean
assumeNotNull(any) → like the argument
coalesce(any, any…) → like the argument
equals(any, any) → boolean
greater(any, any) → boolean
greaterOrEquals(any, any) → boolean
if(any, any, any) → like the argument
ifNull(any, any) → like the argument
ilike(any, any) → boolean
in(any, any) → boolean
isDistinctFrom(any, any) → boolean
isNotDistinctFrom(any, any) → boolean
isNotNull(any) → boolean
isNull(any) → boolean
isZeroOrNull(number) → boolean
less(any, any) → boolean
lessOrEquals(any, any) → boolean
like(any, any) → boolean
match(any, any) → boolean
multiIf(any, any, any, any…) → like the argument
not(condition) → boolean
notEquals(any, any) → boolean
notILike(any, any) → boolean
notIn(any, any) → boolean
notLike(any, any) → boolean
nullIf(any, any) → like the argument
or(condition, condition…) → boolean
transform(any, array, array, any?) → like the argument
xor(bool, bool) → boolean
`,
  Numbers: `
abs(number) → like the argument
acos(float) → number
asin(float) → number
atan(float) → number
atan2(float, float) → number
bitAnd(int, int) → integer
bitCount(int) → integer
bitNot(int) → integer
bitOr(int, int) → integer
bitShiftLeft(int, int) → integer
bitShiftRight(int, int) → integer
bitTest(int, int) → integer
bitXor(int, int) → integer
cbrt(float) → number
ceil(number, int?) → like the argument
ceiling(number, int?) → like the argument
cos(float) → number
cosh(float) → number
degrees(float) → number
divide(any, any) → number
e() → number
exp(float) → number
exp10(float) → number
exp2(float) → number
factorial(int) → integer
floor(number, int?) → like the argument
gcd(int, int) → integer
greatest(any, any…) → like the argument
hypot(float, float) → number
ifNotFinite(float, float) → number
intDiv(int, int) → integer
intDivOrZero(int, int) → integer
isFinite(float) → boolean
isInfinite(float) → boolean
isNaN(float) → boolean
lcm(int, int) → integer
least(any, any…) → like the argument
ln(float) → number
log(float) → number
log10(float) → number
log1p(float) → number
log2(float) → number
max2(number, number) → like the argument
min2(number, number) → like the argument
minus(any, any) → depends
modulo(any, any) → depends
moduloOrZero(int, int) → integer
multiply(any, any) → depends
negate(number) → like the argument
pi() → number
plus(any, any) → depends
positiveModulo(int, int) → integer
pow(float, float) → number
power(float, float) → number
radians(float) → number
rand() → integer
rand64() → integer
randCanonical() → number
round(number, int?) → like the argument
roundBankers(number, int?) → like the argument
sign(float) → integer
sin(float) → number
sinh(float) → number
sqrt(float) → number
tan(float) → number
tanh(float) → number
trunc(number, int?) → like the argument
truncate(number, int?) → like the argument
`,
  Texts: `
MD5(text) → text
SHA1(text) → text
SHA256(text) → text
alphaTokens(text) → array
ascii(text) → integer
base64Decode(text) → text
base64Encode(text) → text
cityHash64(any, any…) → integer
concat(text, text…) → text
concatWithSeparator(text, text…) → text
countSubstrings(text, text) → integer
damerauLevenshteinDistance(text, text) → integer
editDistance(text, text) → integer
empty(any) → boolean
endsWith(text, text) → boolean
format(any, any…) → text
generateUUIDv4() → UUID
hex(any) → text
initcap(text) → text
isIPv4String(text) → boolean
jaroSimilarity(text, text) → number
jaroWinklerSimilarity(text, text) → number
left(text, int) → text
leftPad(text, int, text?) → text
leftPadUTF8(text, int, text?) → text
leftUTF8(text, int) → text
length(any) → integer
lengthUTF8(text) → integer
levenshteinDistance(text, text) → integer
lower(text) → text
lowerUTF8(text) → text
mid(text, int, int?) → text
multiSearchAny(text, array) → boolean
multiSearchAnyCaseInsensitive(text, array) → boolean
notEmpty(any) → boolean
position(text, text, int?) → integer
positionCaseInsensitive(text, text, int?) → integer
positionCaseInsensitiveUTF8(text, text, int?) → integer
positionUTF8(text, text, int?) → integer
repeat(text, int) → text
replace(text, text, text) → text
replaceAll(text, text, text) → text
replaceOne(text, text, text) → text
reverse(any) → depends
reverseUTF8(text) → text
right(text, int) → text
rightPad(text, int, text?) → text
rightPadUTF8(text, int, text?) → text
rightUTF8(text, int) → text
sortableSemver(text) → array
splitByChar(text, text, int?) → array
splitByNonAlpha(text) → array
splitByRegexp(text, text, int?) → array
splitByString(text, text, int?) → array
splitByWhitespace(text) → array
startsWith(text, text) → boolean
substr(text, int, int?) → text
substring(text, int, int?) → text
substringUTF8(text, int, int?) → text
toValidUTF8(text) → text
translate(text, text, text) → text
trim(text, text?) → text
trimBoth(text, text?) → text
trimLeft(text, text?) → text
trimRight(text, text?) → text
tryBase64Decode(text) → text
unhex(text) → text
upper(text) → text
upperUTF8(text) → text
`,
  Patterns: `
countMatches(text, text) → integer
extract(text, any) → text
extractAll(text, any) → array
extractGroups(text, any) → array
multiMatchAny(text, array) → boolean
regexpQuoteMeta(text) → text
regexpReplace(text, text, text) → text
replaceRegexpAll(text, text, text) → text
replaceRegexpOne(text, text, text) → text
`,
  URLs: `
cutFragment(text) → text
cutQueryString(text) → text
cutQueryStringAndFragment(text) → text
cutToFirstSignificantSubdomain(text) → text
cutURLParameter(text, text) → text
cutWWW(text) → text
decodeURLComponent(text) → text
decodeURLFormComponent(text) → text
domain(text) → text
domainWithoutWWW(text) → text
encodeURLComponent(text) → text
extractURLParameter(text, text) → text
extractURLParameterNames(text) → array
extractURLParameters(text) → array
firstSignificantSubdomain(text) → text
fragment(text) → text
path(text) → text
pathFull(text) → text
port(text) → integer
protocol(text) → text
queryString(text) → text
queryStringAndFragment(text) → text
topLevelDomain(text) → text
`,
  "Properties, for filters": `
listedTexts(any) → array
sampleNumber(text) → integer
storedText(any) → text
storedTime(any) → time
versionNumbers(any) → array
`,
  Dates: `
addDays(any, any) → depends
addHours(any, any) → time
addMinutes(any, any) → time
addMonths(any, any) → depends
addQuarters(any, any) → depends
addSeconds(any, any) → time
addWeeks(any, any) → depends
addYears(any, any) → depends
subtractDays(any, any) → depends
subtractHours(any, any) → time
subtractMinutes(any, any) → time
subtractMonths(any, any) → depends
subtractQuarters(any, any) → depends
subtractSeconds(any, any) → time
subtractWeeks(any, any) → depends
subtractYears(any, any) → depends
toIntervalDay(any) → interval
toIntervalHour(any) → interval
toIntervalMinute(any) → interval
toIntervalMonth(any) → interval
toIntervalQuarter(any) → interval
toIntervalSecond(any) → interval
toIntervalWeek(any) → interval
toIntervalYear(any) → interval
toMonday(any) → date
toStartOfDay(any, any?) → time
toStartOfFifteenMinutes(time) → time
toStartOfFiveMinute(time) → time
toStartOfFiveMinutes(time) → time
toStartOfHour(any, any?) → time
toStartOfISOYear(any) → date
toStartOfInterval(any, any) → time
toStartOfMinute(any, any?) → time
toStartOfMonth(any, any?) → date
toStartOfQuarter(any, any?) → date
toStartOfSecond(any, any?) → time
toStartOfTenMinutes(time) → time
toStartOfWeek(any, any?) → date
toStartOfYear(any, any?) → date
`,
  Calendar: `
UUIDv7ToDateTime(text) → time
age(any, time, time) → integer
curdate() → date
current_date() → date
dateAdd(any, any, any?) → time
dateDiff(any, time, time) → integer
dateName(any, any) → text
dateSub(any, any, any?) → time
dateTrunc(any, any) → time
date_add(any, any, any?) → time
date_diff(any, time, time) → integer
date_sub(any, any, any?) → time
date_trunc(any, any) → time
dayName(any) → text
formatDateTime(time, any, any?) → text
fromUnixTimestamp(number) → time
fromUnixTimestamp64Micro(number) → time
fromUnixTimestamp64Milli(number) → time
makeDate(int, int, int) → date
makeDateTime(int, int, int, int, int, int) → time
monthName(any) → text
now() → time
now64() → time
parseDateTime(text, any, any?) → time
parseDateTimeOrNull(text, any, any?) → time
toDayOfMonth(any) → integer
toDayOfWeek(any, any?) → integer
toDayOfYear(any) → integer
toHour(any) → integer
toISOWeek(any) → integer
toISOYear(any) → integer
toLastDayOfMonth(any) → date
toLastDayOfWeek(any, any?) → date
toMillisecond(any) → integer
toMinute(any) → integer
toMonth(any) → integer
toQuarter(any) → integer
toSecond(any) → integer
toUnixTimestamp(time) → integer
toUnixTimestamp64Micro(time) → integer
toUnixTimestamp64Milli(time) → integer
toWeek(any, any?) → integer
toYYYYMM(any) → integer
toYYYYMMDD(any) → integer
toYYYYMMDDhhmmss(any) → integer
toYear(any) → integer
toYearWeek(any, any?) → integer
today() → date
yesterday() → date
`,
  JSON: `
JSONExtract(text, any, any…) → integer
JSONExtractArrayRaw(text, any…) → array
JSONExtractBool(text, any…) → boolean
JSONExtractFloat(text, any…) → number
JSONExtractInt(text, any…) → integer
JSONExtractKeys(text, any…) → array
JSONExtractKeysAndValuesRaw(text, any…) → array
JSONExtractRaw(text, any…) → text
JSONExtractString(text, any…) → text
JSONExtractUInt(text, any…) → integer
JSONHas(text, any…) → boolean
JSONLength(text, any…) → integer
JSONType(text, any…) → text
isValidJSON(text) → boolean
toJSONString(any) → text
`,
  Arrays: `
array(any…) → array
arrayAll(lambda, array, array…) → boolean
arrayAvg(lambda, array, array…) → number
arrayCompact(array) → array
arrayConcat(array, array…) → array
arrayCount(lambda, array, array…) → integer
arrayCumSum(lambda, array, array…) → array
arrayDifference(lambda, array, array…) → array
arrayDistinct(array) → array
arrayElement(array, int) → depends
arrayEnumerate(array) → array
arrayExists(lambda, array, array…) → boolean
arrayFill(lambda, array, array…) → array
arrayFilter(lambda, array, array…) → array
arrayFirst(lambda, array, array…) → like the argument
arrayFirstIndex(lambda, array, array…) → integer
arrayFirstOrNull(lambda, array, array…) → like the argument
arrayFlatten(array) → array
arrayFold(lambda, array, any) → like the argument
arrayIntersect(array, array…) → array
arrayLast(lambda, array, array…) → like the argument
arrayLastIndex(lambda, array, array…) → integer
arrayLastOrNull(lambda, array, array…) → like the argument
arrayMap(lambda, array, array…) → array
arrayMax(lambda, array, array…) → like the argument
arrayMin(lambda, array, array…) → like the argument
arrayPopBack(array) → array
arrayPopFront(array) → array
arrayProduct(array) → number
arrayPushBack(array, any) → array
arrayPushFront(array, any) → array
arrayReduce(any, array) → text
arrayResize(array, int, any?) → array
arrayReverse(array) → array
arrayReverseFill(lambda, array, array…) → array
arrayReverseSort(lambda, array, array…) → array
arrayReverseSplit(lambda, array, array…) → array
arraySlice(array, int, int?) → array
arraySort(lambda, array, array…) → array
arraySplit(lambda, array, array…) → array
arrayStringConcat(array, text?) → text
arraySum(lambda, array, array…) → like the argument
arrayUniq(array) → integer
arrayWithConstant(int, any) → array
arrayZip(array, array…) → array
countEqual(array, any) → integer
has(array, any) → boolean
hasAll(array, array) → boolean
hasAny(array, array) → boolean
indexOf(array, any) → integer
range(int, int?, int?) → array
`,
  "Tuples and maps": `
map(any…) → map
mapApply(lambda, map) → map
mapContains(map, any) → boolean
mapFilter(lambda, map) → map
mapFromArrays(array, array) → map
mapGet(map, any) → depends
mapKeys(map) → array
mapToArrays(map) → tuple
mapUpdate(map, map) → map
mapValues(map) → array
tuple(any…) → tuple
tupleElement(tuple, any) → depends
tupleMinus(tuple, tuple) → tuple
tupleMultiply(tuple, tuple) → tuple
tuplePlus(tuple, tuple) → tuple
`,
  Aggregates: `
any(any) → like the argument
anyHeavy(any) → like the argument
anyLast(any) → like the argument
argMax(any, any) → like the argument
argMin(any, any) → like the argument
array_agg(parameters)(any) → array
avg(float) → number
avgWeighted(float, float) → number
corr(float, float) → number
count(any?) → integer
countDistinct(any, any…) → integer
covarPop(float, float) → number
covarSamp(float, float) → number
entropy(any) → number
every(condition) → boolean
first_value(any) → like the argument
groupArray(parameters)(any) → array
groupArraySorted(parameters)(any) → array
groupBitAnd(int) → integer
groupBitOr(int) → integer
groupBitXor(int) → integer
groupUniqArray(parameters)(any) → array
json_agg(parameters)(any) → text
last_value(any) → like the argument
max(any) → like the argument
median(float) → number
medianExact(number) → like the argument
min(any) → like the argument
quantile(parameters)(float) → number
quantileExact(parameters)(number) → like the argument
quantileExactInclusive(parameters)(float) → number
quantileExactLow(parameters)(number) → like the argument
quantileTDigest(parameters)(float) → number
quantileTiming(parameters)(float) → number
quantiles(parameters)(float) → array
retention(condition, condition…) → array
stddevPop(float) → number
stddevSamp(float) → number
string_agg(text, text) → text
sum(number) → like the argument
sumKahan(number) → like the argument
sumWithOverflow(number) → like the argument
topK(parameters)(any) → array
uniq(any, any…) → integer
uniqCombined(any, any…) → integer
uniqExact(any, any…) → integer
uniqHLL12(any, any…) → integer
uniqTheta(any, any…) → integer
varPop(float) → number
varSamp(float) → number
windowFunnel(parameters)(any, condition, condition…) → integer
`,
  Windows: `
cume_dist() → number
dense_rank() → integer
lag(any, int?, any?) → like the argument
lagInFrame(any, int?, any?) → like the argument
lead(any, int?, any?) → like the argument
leadInFrame(any, int?, any?) → like the argument
nth_value(any, int) → like the argument
ntile(int) → integer
percent_rank() → number
rank() → integer
row_number() → integer
`,
};

/** What an aggregate may end in. */
export const COMBINATORS: readonly string[] = [
  "OrDefault",
  "Distinct",
  "ForEach",
  "ArgMax",
  "ArgMin",
  "OrNull",
  "Array",
  "Map",
  "If",
];
