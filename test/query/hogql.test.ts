import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { MemoryLake } from "../support/memoryLake.ts";
import { emptyLake, failure, hogql } from "./support.ts";

const START = Date.parse("2020-01-10T12:14:00Z");
const HOUR = 3_600_000;
const NOW = Date.parse("2020-02-20T10:00:00Z");
const FIRST_UUID = "0190a1b2-0000-7000-8000-000000000001";

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open([
    {
      uuid: FIRST_UUID,
      event: "buy",
      distinctId: "a",
      timestampMs: START,
      properties: {
        amount: 10.5,
        n: 3,
        s: "x",
        yes: true,
        $browser: "Chrome",
        o: { k: [1, { z: "deep" }] },
        at: "2020-01-05T10:00:00+02:00",
        "a/b~c": "odd",
      },
    },
    {
      event: "buy",
      distinctId: "b",
      timestampMs: START + HOUR,
      properties: { amount: "20", s: "y", yes: false, n: null },
    },
    { event: "view", distinctId: "a", timestampMs: START + 24 * HOUR, properties: { $browser: "Firefox", s: "" } },
    { event: "view", distinctId: "c", timestampMs: START + 40 * 24 * HOUR, properties: { n: 100, amount: "abc" } },
  ]);
});
afterAll(() => lake.close());

const rows = async (query: string, timezone = "UTC", weekStartDay: 0 | 1 = 0) =>
  (await hogql(lake, query, { timezone, weekStartDay, nowMs: NOW })).results;

describe("rows", () => {
  test.each<[string, unknown[][]]>([
    [
      "select event, count() as n from events group by event order by n desc, event",
      [
        ["buy", 2],
        ["view", 2],
      ],
    ],
    [
      "select event as e, count() from events group by 1 order by 2 desc, 1",
      [
        ["buy", 2],
        ["view", 2],
      ],
    ],
    ["select properties.event from events order by event desc, timestamp limit 1", [[null]]],
    ["select distinct event from events order by event", [["buy"], ["view"]]],
    [
      "select timestamp, person.id = person_id, uuid from events order by timestamp limit 1",
      [["2020-01-10T12:14:00Z", true, FIRST_UUID]],
    ],
    [
      "select properties.o.k[2].z, properties.o.k.1, properties['o']['k'], properties.$browser from events order by timestamp limit 1",
      [["deep", "1", '[1,{"z":"deep"}]', "Chrome"]],
    ],
    ["select properties.`a/b~c` from events order by timestamp limit 1", [["odd"]]],
    ["select properties.s from events order by timestamp", [["x"], ["y"], [""], [null]]],
    [
      "select properties.n, properties.yes from events order by timestamp",
      [
        ["3", "true"],
        [null, "false"],
        [null, null],
        ["100", null],
      ],
    ],
    [
      "select sum(toFloat(properties.amount)), avg(toFloat(properties.amount)), max(toFloat(properties.amount)), count(properties.n) from events",
      [[30.5, 15.25, 20, 2]],
    ],
    ["select uniq(person_id), count(distinct distinct_id), uniqIf(person_id, event = 'buy') from events", [[3, 3, 2]]],
    [
      "select event, countIf(properties.s = 'x'), sumIf(toFloat(properties.amount), event = 'buy') from events group by event order by event",
      [
        ["buy", 1, 30.5],
        ["view", 0, null],
      ],
    ],
    [
      "select quantile(0.9)(toFloat(properties.amount)), median(toFloat(properties.amount)) from events",
      [[19.05, 15.25]],
    ],
    [
      "select groupArray(event), argMax(distinct_id, timestamp) from events where event = 'buy'",
      [[["buy", "buy"], "b"]],
    ],
    ["select count() filter (where event = 'buy') from events", [[2]]],
    ["select distinct_id from events group by distinct_id having count() > 1", [["a"]]],
    ["select event from events order by lower(event) desc, timestamp limit 1 offset 1", [["view"]]],
    ["select sum(toFloat(properties.amount)) / count() as r, round(r, 1) from events", [[7.625, 7.6]]],
    [
      "select count(), sum(1), countIf(event = 'none'), sumIf(1, event = 'none') from events where event = 'none'",
      [[0, 0, 0, 0]],
    ],
    [
      "select toStartOfDay(timestamp) as day, count() from events group by day order by day limit 2",
      [
        ["2020-01-10T00:00:00Z", 2],
        ["2020-01-11T00:00:00Z", 1],
      ],
    ],
    [
      "select count(), concat(event, ':', distinct_id) from events group by concat(event, ':', distinct_id) order by 2 limit 1",
      [[1, "buy:a"]],
    ],
    [
      "select event, count() * 100 / (select count() from events) from events group by event order by event",
      [
        ["buy", 50],
        ["view", 50],
      ],
    ],
    ["select number * 2 from numbers(2, 2)", [[4], [6]]],
  ])("%s", async (query, expected) => {
    expect(await rows(query)).toEqual(expected);
  });
});

describe("conditions", () => {
  test.each<[string, number]>([
    ["event = 'buy'", 2],
    ["properties.s = 'x'", 1],
    ["properties.s != 'x'", 3],
    ["not (properties.s = 'x')", 3],
    ["not properties.s != 'x'", 1],
    ["properties.s is null", 1],
    ["properties.s is not null", 3],
    ["properties.s = properties.missing", 1],
    ["properties.s = ''", 1],
    ["properties.amount > 10", 2],
    ["not (properties.amount > 10)", 2],
    ["properties.amount = 20", 1],
    ["properties.n = '3'", 1],
    ["properties.yes = true", 1],
    ["properties.s in ('x', 'y')", 2],
    ["properties.s not in ('x', 'y')", 2],
    ["properties.s in ('x', null)", 2],
    ["event in ['buy', 'nope']", 2],
    ["distinct_id in (select distinct_id from events where event = 'view')", 3],
    ["distinct_id not in (select distinct_id from events where event = 'view')", 1],
    ["properties.n in (select properties.n from events)", 2],
    ["toFloat(properties.amount) between 10 and 15", 1],
    ["toFloat(properties.amount) not between 10 and 15", 1],
    ["event like 'b%' and event ilike 'B%' and event =~ '^b' and event not like 'v%'", 2],
    ["properties.s like '%'", 3],
    ["properties.s not like 'x'", 3],
    ["lower(event) = 'buy' or properties.s = '' and timestamp < now()", 3],
    ["timestamp >= now() - interval 20 day", 1],
    ["timestamp > '2020-01-11' and timestamp <= toDateTime('2020-01-12 00:00:00')", 1],
    ["toDate(timestamp) = '2020-01-10'", 2],
    ["timestamp between '2020-01-10 13:00:00' and '2020-01-11T23:00:00Z'", 2],
    [`uuid = '${FIRST_UUID}'`, 1],
    ["person_id = 'not a uuid'", 0],
    ["person_id = (select person_id from events where distinct_id = 'b')", 1],
    ["1", 4],
  ])("%s", async (condition, expected) => {
    expect(await rows(`select count() from events where ${condition}`)).toEqual([[expected]]);
  });
});

test("the rule of NULLs holds where a condition is shown", async () => {
  const operators = ["=", "!=", "<", "<=", ">", ">=", "like", "not like", "=~", "!~"];
  const shown = await rows(
    `select ${operators.map((op) => `properties.s ${op} 'x', properties.s ${op} properties.n`).join(", ")} from events where distinct_id = 'c'`,
  );
  // s is missing, n is "100": never NULL.
  expect(shown[0]).toEqual([
    false,
    false,
    true,
    true,
    ...Array(8).fill(false),
    false,
    false,
    true,
    true,
    false,
    false,
    true,
    true,
  ]);
  const both = await rows(
    `select ${operators.map((op) => `properties.s ${op} properties.t`).join(", ")} from events where distinct_id = 'c'`,
  );
  expect(both[0]).toEqual([true, false, false, false, false, false, true, false, true, false]);
});

describe("expressions", () => {
  test.each<[string, unknown[]]>([
    ["1 + 2 * 3, 7 / 2, 7 % 3, intDiv(7, 2), -5, 1.5 + 1", [7, 3.5, 1, 3, -5, 2.5]],
    ["round(2.5), round(7.625, 2), floor(-1.5), ceil(1.2), abs(-3), sqrt(-1)", [2, 7.62, -2, 2, 3, null]],
    [
      "lower('ABC'), upper('é'), length('äb'), lengthUTF8('äb'), concat('a', 1, true), 'a' || 'b'",
      ["abc", "É", 3, 2, "a1true", "ab"],
    ],
    [
      "substring('hello', 2, 3), replaceAll('aa', 'a', 'b'), position('abc', 'c'), trim(' a '), startsWith('ab', 'a')",
      ["ell", "bb", 3, "a", true],
    ],
    [
      "toFloat('1.5'), toFloat('x'), toInt('12'), toInt('1.5'), toInt(1.9), toString(1.5), toString(2)",
      [1.5, null, 12, null, 1, "1.5", "2"],
    ],
    [
      "toBool('true'), toUUID('x'), toDate('2020-01-05'), toDateTime('nope'), '5'::int",
      [true, null, "2020-01-05", null, 5],
    ],
    [
      "if(1 > 0, 'a', 'b'), multiIf(0, 'a', 1, 'b', 'c'), case 2 when 1 then 'x' when 2 then 'y' else 'z' end",
      ["a", "b", "y"],
    ],
    ["ifNull(null, 1), coalesce(null, null, 'x'), nullIf(1, 1), null ?? 2", [1, "x", null, 2]],
    ["[1, 2, 3][-1], has([1, 2], 2), length([1, 2]), splitByChar(',', 'a,b')", [3, true, 2, ["a", "b"]]],
    ["true and false, not true, null = null, 2 != null, null < 1", [false, false, true, true, false]],
    [
      "JSONExtractString('{\"a\":{\"b\":\"c\"}}', 'a', 'b'), JSONExtractInt('{\"a\":[7]}', 'a', 1), JSONHas('x', 'a')",
      ["c", 7, false],
    ],
  ])("%s", async (list, expected) => {
    expect(await rows(`select ${list}`)).toEqual([expected]);
  });
});

describe("time", () => {
  test.each<[string, string, unknown[]]>([
    [
      "UTC",
      "toStartOfHour(t), toStartOfDay(t), toStartOfWeek(t), toStartOfMonth(t), toStartOfYear(t)",
      ["2020-01-10T12:00:00Z", "2020-01-10T00:00:00Z", "2020-01-05", "2020-01-01", "2020-01-01"],
    ],
    [
      "America/New_York",
      "t, toDate(t), toHour(t), toString(t)",
      ["2020-01-10T07:14:00-05:00", "2020-01-10", 7, "2020-01-10 07:14:00"],
    ],
    [
      "Asia/Kolkata",
      "toStartOfHour(t), toStartOfDay(t), toDayOfWeek(t)",
      ["2020-01-10T17:00:00+05:30", "2020-01-10T00:00:00+05:30", 5],
    ],
    [
      "UTC",
      "now(), today(), yesterday(), now() - interval 1 month",
      ["2020-02-20T10:00:00Z", "2020-02-20", "2020-02-19", "2020-01-20T10:00:00Z"],
    ],
    [
      "UTC",
      "t + interval 1 month, dateAdd('hour', 2, t), subtractDays(toDate(t), 1), t - interval 1 second",
      ["2020-02-10T12:14:00Z", "2020-01-10T14:14:00Z", "2020-01-09", "2020-01-10T12:13:59Z"],
    ],
    [
      "America/New_York",
      "toDateTime('2020-03-07 12:00:00') + interval 1 day, toDateTime('2020-03-07 12:00:00') + interval 24 hour",
      ["2020-03-08T12:00:00-04:00", "2020-03-08T13:00:00-04:00"],
    ],
    [
      "America/New_York",
      "dateDiff('hour', toDateTime('2020-03-08'), toDateTime('2020-03-09')), dateDiff('day', toDateTime('2020-03-08'), toDateTime('2020-03-09'))",
      [23, 1],
    ],
    [
      "UTC",
      "dateDiff('day', toDateTime('2020-01-01 23:00:00'), toDateTime('2020-01-02 01:00:00')), age('day', toDateTime('2020-01-01 23:00:00'), toDateTime('2020-01-02 01:00:00'))",
      [1, 0],
    ],
    [
      "UTC",
      "formatDateTime(t, '%Y-%m-%d %H:%i:%S'), toYYYYMM(t), toUnixTimestamp(t), toDateTime(0)",
      ["2020-01-10 12:14:00", 202001, 1578658440, "1970-01-01T00:00:00Z"],
    ],
    [
      "UTC",
      "toStartOfInterval(t, interval 15 minute), dateTrunc('month', t), toStartOfFiveMinutes(t)",
      ["2020-01-10T12:00:00Z", "2020-01-01", "2020-01-10T12:10:00Z"],
    ],
    [
      "America/New_York",
      "toDateTime(properties.at), toDateTime('2020-01-01T00:00:00Z'), toDateTime('2020-01-01')",
      ["2020-01-05T03:00:00-05:00", "2019-12-31T19:00:00-05:00", "2020-01-01T00:00:00-05:00"],
    ],
  ])("in %s: %s", async (timezone, list, expected) => {
    const query = `select ${list.replace(/\bt\b/g, "timestamp")} from events order by timestamp limit 1`;
    expect(await rows(query, timezone)).toEqual([expected]);
  });

  test("weeks begin on the environment's day", async () => {
    const query = "select toStartOfWeek(timestamp), toStartOfWeek(timestamp, 1) from events order by timestamp limit 1";
    expect(await rows(query, "UTC", 0)).toEqual([["2020-01-05", "2020-01-06"]]);
    expect(await rows(query, "UTC", 1)).toEqual([["2020-01-06", "2020-01-06"]]);
  });
});

describe("queries in queries", () => {
  test.each<[string, unknown[][]]>([
    [
      "select a, b + 1 from (select event as a, count() as b from events group by a) where b > 1 order by a",
      [
        ["buy", 3],
        ["view", 3],
      ],
    ],
    [
      "with x as (select event, timestamp from events where event = 'buy') select count(), max(timestamp) from x",
      [[2, "2020-01-10T13:14:00Z"]],
    ],
    ["with x as (select properties from events) select count() from x where properties.s = 'x'", [[1]]],
    [
      "with x as (select distinct_id as d from events), y as (select d from x where d = 'a') select count() from y",
      [[2]],
    ],
    ["with 5 as five select five + 1", [[6]]],
    ["select e.event, e.properties.s from events e order by e.timestamp limit 1", [["buy", "x"]]],
    ["select e.event from events as e where events.distinct_id = 'b'", [["buy"]]],
    ["select 1 union all select 2.5 union all select null", [[1], [2.5], [null]]],
    ["select event from events where event = 'buy' union distinct select 'buy'", [["buy"]]],
    ["select * from (select 1 as a, 'x' as b)", [[1, "x"]]],
  ])("%s", async (query, expected) => {
    expect(await rows(query)).toEqual(expected);
  });
});

test("columns and types", async () => {
  const response = await hogql(
    lake,
    "select event, properties.n, count() as n, avg(1), uniq(uuid), max(timestamp), toDate(any(timestamp)), groupArray(event), null, true from events group by event, properties.n",
    { timezone: "Europe/Paris" },
  );
  expect(response.columns).toEqual([
    "event",
    "n",
    "n",
    "avg(1)",
    "uniq(uuid)",
    "max(timestamp)",
    "toDate(any(timestamp))",
    "groupArray(event)",
    "NULL",
    "true",
  ]);
  expect(response.types.map(([, type]) => type)).toEqual([
    "String",
    "Nullable(String)",
    "UInt64",
    "Nullable(Float64)",
    "UInt64",
    "Nullable(DateTime64(6, 'Europe/Paris'))",
    "Nullable(Date)",
    "Array(String)",
    "Nullable(Nothing)",
    "Bool",
  ]);
});

test("all columns of events", async () => {
  const response = await hogql(lake, "select * from events order by timestamp limit 1");
  expect(response.columns).toEqual([
    "uuid",
    "event",
    "properties",
    "timestamp",
    "distinct_id",
    "elements_chain",
    "created_at",
    "person_id",
    "person_mode",
  ]);
});

test("the clicked elements and the person mode of an event", async () => {
  const of = (elementsChain: string, personMode: number) => ({
    event: "$autocapture",
    distinctId: "a",
    timestampMs: START,
    elementsChain,
    personMode,
  });
  const clicks = await MemoryLake.open([of('a.link:href="/x"', 0), of("", 1)]);
  const response = await hogql(clicks, "select elements_chain, person_mode from events order by person_mode");
  expect(response.results).toEqual([
    ['a.link:href="/x"', "full"],
    ["", "propertyless"],
  ]);
  const where = "elements_chain like '%href%' and person_mode = 'full'";
  expect((await hogql(clicks, `select count() from events where ${where}`)).results).toEqual([[1]]);
});

test("limits: 100 where none is asked, the maximum where more, and whether there are more", async () => {
  const numbers = (query: string, maxRows = 50_000) =>
    hogql(lake, query, { limits: { timeoutMs: 1000, maxRows, textMaxBytes: 65_536 } });
  const none = await numbers("select number from numbers(150)");
  expect([none.results.length, none.limit, none.offset, none.hasMore]).toEqual([100, 100, 0, true]);
  const all = await numbers("select number from numbers(100)");
  expect([all.results.length, all.hasMore]).toEqual([100, false]);
  const clamped = await numbers("select number from numbers(150) limit 200", 50);
  expect([clamped.results.length, clamped.limit, clamped.hasMore]).toEqual([50, 50, true]);
  const page = await numbers("select number from numbers(20) limit 5 offset 17");
  expect([page.results, page.offset, page.hasMore]).toEqual([[[17], [18], [19]], 17, false]);
  const union = await numbers("select number from numbers(150) union all select number from numbers(150)");
  expect(union.results.length).toBe(200);
});

test("the printed query", async () => {
  const printed = async (query: string) => (await hogql(emptyLake, query)).hogql;
  expect(await printed("select event from events union all select event from events")).toBe(
    "SELECT event FROM events LIMIT 100 UNION ALL SELECT event FROM events LIMIT 100",
  );
  expect(
    await printed(
      "select count() as n, properties.`a b` from events e where event = 'it''s' and not 2 > 1 or 1 group by 2 order by n desc limit 3",
    ),
  ).toBe(
    "SELECT count() AS n, properties.`a b` FROM events AS e WHERE or(and(equals(event, 'it\\'s'), not(greater(2, 1))), 1) GROUP BY 2 ORDER BY n DESC LIMIT 3",
  );
});

test("conditions on time choose the files of all uses of the table together", async () => {
  const range = async (query: string) => {
    await hogql(lake, query, { nowMs: NOW });
    return lake.lastRange;
  };
  const day = Date.parse("2020-01-05T00:00:00Z");
  expect(
    await range("select 1 from events where timestamp >= '2020-01-05' and timestamp < toDateTime('2020-01-06')"),
  ).toEqual({ fromMs: day, toMs: day + 86_400_001 });
  expect(await range("select 1 from events where '2020-01-05' <= timestamp or 1")).toEqual({
    fromMs: null,
    toMs: null,
  });
  expect(await range("select 1 from events where timestamp > '2020-01-05' union all select 1 from events")).toEqual({
    fromMs: null,
    toMs: null,
  });
  expect(await range("select 1 from (select event from events where timestamp > '2020-01-05') where 1")).toEqual({
    fromMs: day,
    toMs: null,
  });
  expect(
    await range(
      "select 1 from events where timestamp > '2020-01-05' and distinct_id in (select distinct_id from events where timestamp > '2020-01-04')",
    ),
  ).toEqual({ fromMs: day - 86_400_000, toMs: null });
});

test("filters, variables and values stand in braces", async () => {
  const filters = {
    properties: [{ key: "s", value: "x", type: "event" }],
    dateRange: { date_from: "2020-01-01", date_to: "2020-02-01" },
  };
  const filtered = await hogql(lake, "select distinct_id from events where {filters}", { nowMs: NOW }, { filters });
  expect(filtered.results).toEqual([["a"]]);
  expect(lake.lastRange).toEqual({ fromMs: Date.parse("2020-01-01"), toMs: Date.parse("2020-02-01") });
  expect((await hogql(lake, "select count() from events where {filters}")).results).toEqual([[4]]);
  const values = await hogql(
    lake,
    "select {who}, {variables.v}",
    {},
    { values: { who: "x' or 1" }, variables: { 1: { variableId: "1", code_name: "v", value: 3 } } },
  );
  expect(values.results).toEqual([["x' or 1", 3]]);
  expect((await failure(hogql(lake, "select {nope}"))).message).toBe("Unresolved placeholder: {nope}");
});

describe("errors name the place", () => {
  test.each<[string, string, number]>([
    ["select foo from events", "Unable to resolve field: foo", 7],
    ["select e.foo from events e", "Unable to resolve field: e.foo", 7],
    ["select 1 from nope", "Unknown table `nope`.", 14],
    ["select foo(1)", "Unsupported function call 'foo(...)'", 7],
    ["select conut()", "Unsupported function call 'conut(...)'. Perhaps you meant 'count(...)'?", 7],
    ["select lower()", "Function 'lower' expects 1 argument, found 0", 7],
    ["select lower('a', 'b')", "Function 'lower' expects 1 argument, found 2", 7],
    ["select 1, if(1)", "Function 'if' expects 3 arguments, found 1", 10],
    ["select event, count() from events", "Column `event` is not under an aggregate function and not in GROUP BY", 7],
    ["select count() from events where count() > 1", "Aggregate functions are not allowed in WHERE: use HAVING.", 33],
    ["select sum(count()) from events", "Aggregate functions cannot be nested: `sum` holds another one.", 7],
    ["select 1 as a, 2 as a", "Cannot redefine an alias with the name: a", 15],
    ["select event.x from events", 'Can not access property "x": it is not JSON.', 7],
    ["select properties.a[0] from events", "SQL indexes start from one, not from zero. E.g: array[1]", 7],
    ["select count() from events where timestamp > 'nope'", "Cannot read 'nope' as a time.", 33],
    ["select count() from events where event", "A condition must be a boolean, not a string.", 33],
    ["select e.event from events e join events f on 1", "JOIN needs an equality of two fields in ON.", 46],
    ["select 1 from events e join persons p", "JOIN needs ON with the fields that meet.", 28],
    ["select 1 from events e right join persons p on p.id = e.person_id", "RIGHT JOIN is not supported yet.", 34],
    ["select 1 from events, persons", "CROSS JOIN is not supported yet.", 22],
    ["select 1 from events join events on 1 = 1", "There are two tables with the name events: give one an alias.", 26],
    [
      "select event from events e join events f on e.uuid = f.uuid",
      "Ambiguous query. Found multiple sources for field: event.",
      7,
    ],
    [
      "select * from events e join persons p on p.id = e.person_id",
      "With several tables, * needs a table's name: `events.*`.",
      7,
    ],
    [
      "select 1 from events e join persons p on p.id = any(e.person_id)",
      "Aggregate functions are not allowed in ON.",
      41,
    ],
    ["select 1 from events e join persons p using (id)", "Unable to resolve field: id", 45],
    ["select 1 from evnets", "Unknown table `evnets`. Perhaps you meant `events`?", 14],
    [
      "select 1 from person_distinct_id",
      "Unknown table `person_distinct_id`. Perhaps you meant `person_distinct_ids`?",
      14,
    ],
    ["select evnt from events", "Unable to resolve field: evnt. Perhaps you meant 'event'?", 7],
    ["select p.propertes from persons p", "Unable to resolve field: p.propertes. Perhaps you meant 'properties'?", 7],
    [
      "select person.creatd_at from events",
      "Unable to resolve field: person.creatd_at. Perhaps you meant 'person.created_at'?",
      7,
    ],
    ["select group_0.name from events", "Unable to resolve field: group_0.name", 7],
    ["select pdi.distinct_id from persons", "The field `pdi.distinct_id` is not supported yet.", 7],
    ["select poe.properties.x from events", "The field `poe.properties.x` is not supported yet.", 7],
    [
      "select person from events",
      "`person` is not a column: name one of its fields (person.id, person.created_at, person.properties, person.is_identified).",
      7,
    ],
    ["select row_number() over (order by event) from events", "WindowFunction is not supported yet.", 7],
    ["select timestamp + 1 from events", "Cannot use a time in `+`: use an interval or dateDiff.", 7],
    ["select 1 limit -1", "LIMIT must be a whole number.", 15],
  ])("%s", async (query, message, start) => {
    const error = await failure(hogql(lake, query));
    expect([error.code, error.message, error.start]).toEqual(["invalid_hogql", message, start]);
  });

  test("names have a case, except those of SQL's own functions", async () => {
    expect((await failure(hogql(lake, "select TOFLOAT('1')"))).message).toContain("Perhaps you meant 'toFloat(...)'");
    expect(await rows("select COUNT(), SUM(1), MAX(1) from events")).toEqual([[4, 4, 1]]);
  });
});
