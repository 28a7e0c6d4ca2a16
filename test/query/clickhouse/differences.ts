/** Where Weir answers otherwise than ClickHouse, and means to. */
export interface Difference {
  /** Names of the functions, or of the aggregate that the expression begins with. */
  names: RegExp;
  /** What of the call, or of ClickHouse's answer, makes the difference; any where absent. */
  when?: (call: string, answer: unknown) => boolean;
  /** As `src/query/hogql/DESIGN.md` tells it. */
  because: string;
}

const OF_CALENDAR = /^(to(Start|Last|Monday|Date|Week|Year|ISO)|date|add|subtract|age|make|fromUnix|format)/;
const met = (pattern: RegExp) => (call: string) => pattern.test(call);

/** The differences that are known, by reason. */
export const DIFFERENCES: readonly Difference[] = [
  {
    names: OF_CALENDAR,
    when: met(/19(69|70)|\(-1\)/),
    because: "times and days before 1970 are those of the calendar; ClickHouse's overflow",
  },
  {
    names: /^(toDate|toDateOrNull|makeDate|makeDateTime)$/,
    because: "toDate reads every text that toDateTime reads; a day that does not exist is NULL",
  },
  {
    names: /^(toStartOfHour|dateTrunc|toStartOfInterval|age)$/,
    when: met(/15:15:00|14:45:00|15:40:00/),
    because: "an hour that a change of half an hour cuts begins where its clock says so",
  },
  {
    names: /^age$/,
    because: "whole units backwards, and hours beside the whole ones, are counted as forwards",
  },
  {
    names: /^(lower|upper|upperUTF8|initcap|reverse|ascii|splitByString|splitByRegexp)$/,
    when: met(/[ößÄÖ]/),
    because: "texts are made of characters, not bytes",
  },
  { names: /^(MD5|SHA1|SHA256)$/, because: "a hash is shown as its digits" },
  { names: /^(toInt|toFloat|toDecimal)/, when: met(/' 5 '/), because: "blanks around a number do not hinder" },
  { names: /^toString$/, when: met(/\[/), because: "an array as text is JSON" },
  { names: /^toDecimal$/, when: met(/92233/), because: "there is no decimal type: it is a fraction of 64 bits" },
  {
    names: /^toStartOfInterval$/,
    when: met(/7 second/),
    because: "seconds that do not divide a minute count from 1970 in every zone",
  },
  {
    names: /^(assumeNotNull|toInt64OrDefault)$/,
    when: met(/NULL/),
    because: "NULL as such has no type, and so no zero",
  },
  { names: /^multiply$/, because: "whole numbers beyond 64 bits end the query" },
  { names: /^tanh$/, because: "ClickHouse's tanh is rough near zero" },
  { names: /^multiSearch/, when: met(/\(''/), because: "every text begins with nothing" },
  { names: /^jaro/, when: met(/''/), because: "no text is like an empty one" },
  { names: /^tryBase64Decode$/, because: "base 64 may leave out what fills it up" },
  { names: /^unhex$/, when: met(/zz/), because: "what is no hexadecimal is empty" },
  { names: /^replaceRegexpAll$/, when: met(/a\*/), because: "a pattern that meets nothing is not met behind a match" },
  {
    names: /^(domain|domainWithoutWWW|topLevelDomain|firstSignificantSubdomain|cutToFirstSignificantSubdomain|port)$/,
    when: met(/user:pw|\/\/host/),
    because: "the host of an address is what is behind the name of a user; one of one word is one",
  },
  { names: /^hasAny$/, when: met(/NULL/), because: "NULL is not like zero" },
  { names: /^arrayIntersect$/, because: "elements keep the order of the first array" },
  { names: /^arraySlice$/, when: met(/\[1\], -2/), because: "a slice that begins before the array has the rest of it" },
  { names: /^parseDateTime(OrNull)?$/, when: met(/%e/), because: "days and months may have one digit" },
  { names: /^anyHeavy$/, because: "the most frequent value is exact" },
  { names: /^avgWeighted$/, because: "fractions are not cut to whole numbers" },
  {
    names: /^(sumOrDefault|avgOrDefault|windowFunnel|entropy|sumArray|sumMap|quantiles)$/,
    when: (_, answer) => JSON.stringify(answer).includes("null") || JSON.stringify(answer) === "[[[],[]]]",
    because: "over no rows -OrDefault and counts give zero, arrays of columns NULL",
  },
  { names: /^quantileTDigest$/, because: "quantiles are exact" },
  {
    names: /^windowFunnel$/,
    when: met(/strict_(order|dedup)/),
    because: "refused by name: modes that end a walk early",
  },
];
