/** A value of a test: how HogQL and ClickHouse write it, and the property of an event that holds it. */
export interface Argument {
  hogql: string;
  clickhouse: string;
  /** Absent where no property does. */
  property?: unknown;
}

/** Values of one kind, edges first of all, and how HogQL reads one out of a property. */
interface Kind {
  values: Argument[];
  column?: (property: string) => string;
}

const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;

const none = (hogql: string, type: string): Argument => ({
  hogql,
  clickhouse: `CAST(NULL, 'Nullable(${type})')`,
  property: null,
});

const texts = (...all: string[]): Kind => ({
  values: [
    ...all.map((text) => ({ hogql: quoted(text), clickhouse: quoted(text), property: text })),
    none("NULL", "String"),
  ],
  column: (property) => property,
});

const numbers = (type: "Int64" | "Float64", ...all: number[]): Kind => {
  const write = (n: number) => (type === "Float64" && Number.isInteger(n) && Math.abs(n) < 1e15 ? `${n}.0` : `${n}`);
  return {
    values: [
      ...all.map((n) => ({ hogql: write(n), clickhouse: `to${type}(${write(n)})`, property: n })),
      none("NULL", type),
    ],
    column: (property) => `${type === "Int64" ? "toInt" : "toFloat"}(${property})`,
  };
};

const dates = (...all: string[]): Kind => ({
  values: [
    ...all.map((day) => ({ hogql: `toDate('${day}')`, clickhouse: `toDate('${day}')`, property: day })),
    none("toDate(NULL)", "Date"),
  ],
  column: (property) => `toDate(${property})`,
});

/** What both write alike, and no property holds. */
const written = (...all: string[]): Kind => ({ values: all.map((text) => ({ hogql: text, clickhouse: text })) });

/** Zones whose clocks change by an hour, by half an hour, never; and that lie beside the whole hours. */
export const ZONES: Record<string, readonly string[]> = {
  UTC: ["2024-02-29T23:59:59Z", "1969-12-31T23:59:59Z", "2024-12-30T12:00:00Z", "2023-01-01T00:00:00Z"],
  // Back at 01:00Z on 27 October, forward at 01:00Z on 31 March.
  "Europe/Berlin": [
    "2024-03-31T00:30:00Z",
    "2024-03-31T01:00:00Z",
    "2024-10-27T00:17:00Z",
    "2024-10-27T01:17:00Z",
    "2024-10-26T22:00:00Z",
  ],
  // Back at 06:00Z on 3 November.
  "America/New_York": ["2024-11-03T05:44:00Z", "2024-11-03T06:44:00Z", "2024-03-10T07:00:00Z", "2024-12-29T23:30:00Z"],
  "Asia/Kolkata": ["2024-01-31T18:29:59Z", "2024-01-31T18:30:00Z", "2024-06-30T19:10:00Z"],
  // Back by half an hour at 15:00Z on 6 April, forward at 15:30Z on 5 October.
  "Australia/Lord_Howe": [
    "2024-04-06T14:45:00Z",
    "2024-04-06T15:15:00Z",
    "2024-10-05T15:40:00Z",
    "2024-12-31T13:00:00Z",
  ],
  "Asia/Kathmandu": ["2024-05-01T18:20:00Z", "2024-05-31T18:14:59Z"],
};

/** Instants, shown in the zone. */
export function times(zone: string): Kind {
  const values = ZONES[zone]!.map((at) => ({
    hogql: `toDateTime('${at}')`,
    clickhouse: `toTimeZone(toDateTime64('${at.replace("T", " ").replace("Z", "")}', 6, 'UTC'), '${zone}')`,
    property: at,
  }));
  return {
    values: [...values, none("toDateTime(NULL)", "DateTime64(6)")],
    column: (property) => `toDateTime(${property})`,
  };
}

const URL_TEXTS = [
  "https://www.user:pw@www.a.b.co.uk:8080/p/a?x=1&y=%20b+c&x=2#f?g=3",
  "http://example.com",
  "example.com/path?q",
  "//host/a//b?",
  "http://127.0.0.1:80/?a=b&=c&d",
  "mailto:a@b.c",
  "/only/path?z=1#",
  "http://h.example.org/p#frag?x=3&y",
  "http://h.example.org?x=1",
  "http://h.example.org#only",
  "",
];

const JSON_TEXTS = [
  '{"a":1,"b":[1,"x",null,2.5,true],"c":{"d":"e"},"s":"t","n":null,"f":-1.5,"z":false}',
  '[10,"20",[3],{"a":4}]',
  '"text"',
  "12",
  "null",
  "{}",
  "no json",
  "",
];

const TIME_TEXTS = [
  "2024-02-29 13:14:15",
  "2024-02-29T13:14:15.123456Z",
  "2024-02-29T13:14:15+05:30",
  "2024-02-29",
  "1709212455",
  "1709212455123",
  "1709212455.5",
  "29 Feb 2024 13:14:15",
  "Feb 29 2024 13:14:15",
  "Thu, 29 Feb 2024 13:14:15 +0100",
  "Thu, 29 Feb 2024 13:14:15 GMT",
  "20240229T131415Z",
  "20240229",
  "20240229131415",
  "02/29/2024 10:00:00",
  "29/02/2024 10:00:00",
  "29.02.2024",
  "2024/02/29 13:14",
  "2024-2-9 1:02:03",
  "2024-02-29 01:14 PM",
  "2023-02-29 00:00:00",
  "2024-13-01",
  "2024",
  "x",
  "",
];

/** The kinds of arguments by their names. */
export const KINDS: Record<string, Kind> = {
  text: texts("", "a", "Hello World", "größe ÄÖ", "a,b,,c", " x ", "aaa"),
  line: texts("a\nb", "a\\b", "a%b", "axb", "ab"),
  part: texts("", "a", "o", "ö", "A", "lo"),
  url: texts(...URL_TEXTS),
  json: texts(...JSON_TEXTS),
  version: texts("1.2.3", "v10.0", "2.0.0-beta", "x", ""),
  timeText: texts(...TIME_TEXTS),
  numberText: texts(
    "0",
    "-1",
    "2.7",
    "007",
    " 5 ",
    "1e3",
    "1e400",
    "9223372036854775807",
    "9223372036854775808",
    "0x10",
    "+3",
    "n/a",
    "",
    "nan",
    "true",
    "1_000",
  ),
  uuidText: texts("016f6658-4ec8-7000-8000-000000000001", "016F66584EC870008000000000000001", "x", ""),
  boolText: texts("true", "FALSE", "1", "0", "yes", "t", "2", ""),
  base64: texts("aGVsbG8=", "aGVsbG8", "*", ""),
  hexText: texts("61", "6", "zz", ""),
  encoded: texts("a%20b+c", "%C3%B6", "%", "%zz", ""),
  ipText: texts("1.2.3.4", "1.2.3", "256.1.1.1", "01.2.3.4", ""),
  int: numbers("Int64", 0, 1, -1, 7, -13, 1000000007),
  places: numbers("Int64", 0, 1, 2, -1, -2, 10),
  small: numbers("Int64", 0, 1, 2, 3, -1, -2, 20),
  bits: numbers("Int64", 0, 1, 5, 62),
  year: numbers("Int64", 2024, 2023, 1970, 1969),
  float: numbers("Float64", 0, 1, -1, 0.5, 1.5, 2.5, -2.5, 123.456, 1e12, -1e-7),
  seconds: numbers("Int64", 0, -1, 1709212455, 1730000000),
  date: dates("2024-02-29", "2024-12-30", "2023-01-01", "1970-01-01", "2021-01-03", "2016-01-02", "2024-03-31"),
  bool: { values: [written("true").values[0]!, written("false").values[0]!, none("NULL", "Bool")] },
  ints: written("[]", "[1]", "[3, 1, 2, 1]", "[0, -1, 5]", "[1, NULL, 2, NULL]"),
  fullInts: written("[1]", "[3, 1, 2, 1]", "[0, -1, 5, 5]"),
  floats: written("[]", "[1.5, -2.5, 0.0]", "[1.5, NULL]"),
  words: written("[]", "['b', 'a', '', 'a']", "['x', NULL]", "['größe']"),
  lists: written("[[1, 2], [], [3]]", "[[1]]"),
  oneInt: written("1", "2", "0", "NULL"),
  oneWord: written("'a'", "''", "'x'", "NULL"),
  map: written("map('a', 1, 'b', 2)", "map('', 0)"),
};
