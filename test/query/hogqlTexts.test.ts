import { afterAll } from "bun:test";
import { type Table, testFunctions } from "./functionTables.ts";
import { openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

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
    "replaceOne('aab', '', 'x'), replaceRegexpAll('aab', '', 'x'), replaceRegexpOne('', '', 'x'), replaceRegexpAll('aab', substring('a', 2), 'x'), replaceRegexpAll('aab', lower('A'), 'x'), position('abc', 'c', 0), position('abc', '', 0), position('abc', 'c', null), leftPad('5', 3, '')",
    ["aab", "aab", "", "aab", "xxb", 3, 1, null, "  5"],
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
    [true, true, null, true, true, 2, 3, 1, 97],
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

testFunctions(rows, [
  ["texts", TEXTS],
  ["addresses", URLS],
]);
