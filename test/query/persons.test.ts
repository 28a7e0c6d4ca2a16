import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { personIdOf } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { StoredLake, type TestProject } from "./storedLake.ts";
import { hogql, trends } from "./support.ts";

const START = Date.parse("2020-01-10T12:00:00Z");
const MINUTE = 60_000;
const NOW = Date.parse("2020-01-12T10:00:00Z");
const ANN = personIdOf(1, "ann");
const BOB = personIdOf(1, "bob");
const HOSTILE = `x' or "1"=1; drop table events; -- /*~*`;

const PROJECT: TestProject = {
  events: [
    { event: "view", distinctId: "anon", timestampMs: START, properties: { $group_0: "acme" } },
    { event: "buy", distinctId: "ann", timestampMs: START + MINUTE, properties: { amount: 5, $group_0: "acme" } },
    { event: "buy", distinctId: "bob", timestampMs: START + 2 * MINUTE, properties: { $group_0: "none", $group_1: 7 } },
    { event: "view", distinctId: "ghost", timestampMs: START + 3 * MINUTE - 1000, personMode: 1 },
    { event: "view", distinctId: "bob", timestampMs: START + 3 * MINUTE, personMode: 1 },
    { event: "view", distinctId: "bob", timestampMs: START + 3 * MINUTE + 1, personMode: 1 },
  ],
  persons: [
    {
      distinctIds: ["ann", "anon"],
      properties: {
        email: "ann@a.com",
        age: 41,
        ratio: 1.5,
        vip: true,
        nothing: null,
        "": "empty",
        "a/b~c.d": "odd",
        "*": "star",
        [HOSTILE]: "safe",
        address: { city: "Bonn", tags: ["x", "y"] },
      },
      createdAtMs: START,
      isIdentified: true,
    },
    { distinctIds: ["bob"], properties: { age: "9", email: "bob@b.com" }, createdAtMs: START + 2 * MINUTE },
    { distinctIds: ["silent"], createdAtMs: START - MINUTE },
  ],
  groups: [
    { index: 0, key: "acme", properties: { founded: "2020-01-01T00:00:00Z", industry: "steel", size: 10 } },
    { index: 1, key: "7", properties: { industry: "glass" }, createdAtMs: START },
    { index: 1, key: "acme", properties: { industry: "wood" } },
  ],
};
/** Another project, where the same ids are other persons. */
const OTHER: TestProject = {
  events: [
    { event: "buy", distinctId: "ann", timestampMs: START, properties: { $group_0: "acme" } },
    { event: "buy", distinctId: "anon", timestampMs: START },
  ],
  persons: [
    { distinctIds: ["ann"], properties: { email: "ann@other.com" }, isIdentified: true },
    { distinctIds: ["anon"], properties: { email: "anon@other.com" } },
  ],
  groups: [{ index: 0, key: "acme", properties: { industry: "milk" } }],
};

let lake: StoredLake;
beforeAll(async () => {
  lake = await StoredLake.open();
  await lake.store(1, PROJECT);
  await lake.store(2, OTHER);
});
afterAll(() => lake.close());

const rows = async (query: string, timezone = "UTC") => (await hogql(lake, query, { timezone, nowMs: NOW })).results;

describe("the person of an event", () => {
  test.each<[string, unknown[][]]>([
    [
      "select distinct_id, person_id, person.id = person_id, pdi.person_id = person_id, pdi.distinct_id from events order by timestamp limit 3",
      [
        ["anon", ANN, true, true, "anon"],
        ["ann", ANN, true, true, "ann"],
        ["bob", BOB, true, true, "bob"],
      ],
    ],
    ["select uniq(person_id), count(distinct person.id), uniq(distinct_id) from events", [[3, 3, 4]]],
    [
      "select distinct_id, person.properties.email, person.created_at, person.is_identified from events where event = 'view' order by timestamp limit 2",
      [
        ["anon", "ann@a.com", "2020-01-10T12:00:00Z", true],
        ["ghost", null, null, null],
      ],
    ],
    [
      "select person.properties.age, person.properties.ratio, person.properties.vip, person.properties.nothing, person.properties.missing from events where distinct_id = 'ann'",
      [["41", "1.5", "true", null, null]],
    ],
    [
      "select person.properties.`a/b~c.d`, person.properties['*'], person.properties['address']['city'], person.properties.address.city, person.properties.address.tags[2], person.properties.address.tags.1 from events where distinct_id = 'ann'",
      [["odd", "star", "Bonn", "Bonn", "y", "x"]],
    ],
    [
      "select person.properties.address, pdi.person.properties.email, JSONExtractString(person.properties, 'email') from events where distinct_id = 'ann'",
      [['{"city":"Bonn","tags":["x","y"]}', "ann@a.com", "ann@a.com"]],
    ],
    ["select person.properties from events where distinct_id = 'ghost'", [["{}"]]],
    ["select count() from events where person.properties.email = 'ann@a.com'", [[2]]],
    ["select count() from events where person.properties.email != 'ann@a.com'", [[4]]],
    ["select count() from events where not person.properties.email = 'ann@a.com'", [[4]]],
    ["select count() from events where person.properties.email is null", [[1]]],
    ["select count() from events where person.properties.age > 10", [[2]]],
    ["select count() from events where person.properties.vip = true", [[2]]],
    [
      "select person.properties.email as email, count() from events group by email order by email",
      [
        ["ann@a.com", 2],
        ["bob@b.com", 3],
        [null, 1],
      ],
    ],
    // Two NULLs are equal, one is not.
    ["select count() from events where person.properties.nothing = properties.nothing", [[6]]],
    ["select count() from events where person.properties.vip = properties.vip", [[4]]],
    ["select countIf(person.properties.vip != properties.vip) from events", [[2]]],
    ["select person.properties.age < 10 from events where distinct_id = 'ghost'", [[false]]],
    ["select count() from events where person.created_at is null", [[1]]],
    ["select sum(toFloat(person.properties.age)) from events where event = 'buy'", [[50]]],
    [
      "select distinct_id from events where person_id in (select id from persons where properties.vip = true) order by timestamp",
      [["anon"], ["ann"]],
    ],
    [
      "select timestamp, person_mode from events where person_mode != 'full' order by timestamp, person_mode desc",
      [
        ["2020-01-10T12:02:59Z", "propertyless"],
        ["2020-01-10T12:03:00Z", "propertyless"],
        ["2020-01-10T12:03:00.001000Z", "force_upgrade"],
      ],
    ],
    ["select e.person.properties.email from events e where e.person.id = toUUID(e.person_id) limit 1", [["ann@a.com"]]],
  ])("%s", async (query, expected) => {
    expect(await rows(query)).toEqual(expected);
  });

  test("a key of a user is a value, never SQL", async () => {
    const name = HOSTILE.replaceAll("\\", "\\\\").replaceAll("`", "\\`");
    expect(await rows(`select person.properties.\`${name}\` from events where distinct_id = 'ann'`)).toEqual([
      ["safe"],
    ]);
    expect(lake.lastSql).not.toContain("drop");
    const of = { type: "person", key: HOSTILE, value: "safe" };
    expect(await total({ properties: [of] })).toBe(2);
    expect(lake.lastSql).not.toContain("drop");
    expect(await total({ properties: [{ ...of, type: "group", group_type_index: 0 }] })).toBe(0);
    expect(lake.lastSql).not.toContain("drop");
    expect(await total({ properties: [{ type: "person", key: "", value: "x" }] })).toBe(6);
  });

  test("is looked up only where it is asked for, once for each thing", async () => {
    const tables = await MemoryLake.open();
    const reads = async (query: string, text: string) => {
      await hogql(tables, query);
      return tables.lastSql.split(text).length - 1;
    };
    const none = "select uniq(distinct_id), count() from events where properties.x = 'y'";
    expect(await reads(none, "distinct_ids")).toBe(0);
    expect(await reads("select count() from events e join groups g on g.key = e.$group_0", "distinct_ids")).toBe(0);
    expect(await reads("select uniq(person_id) from events", "distinct_ids")).toBe(1);
    expect(await reads("select uniq(person_id) from events", "FROM persons")).toBe(0);
    const twice = "select person.properties.a, lower(person.properties.a) from events where person.properties.a = 'b'";
    expect(await reads(twice, "FROM persons")).toBe(1);
    const several = "select person.created_at, person.is_identified, person_mode from events";
    expect(await reads(several, "FROM persons")).toBe(1);
    await trends(tables, { series: [{ kind: "EventsNode", event: "buy" }] }, { nowMs: NOW });
    expect(tables.lastSql).not.toContain("distinct_ids");
    await tables.close();
  });

  test("is one of the project's own", async () => {
    const other = (query: string) => hogql(lake, query, { teamId: 2, nowMs: NOW });
    const query = "select person.properties.email, group_0.properties.industry from events order by distinct_id";
    expect((await other(query)).results).toEqual([
      ["ann@other.com", "milk"],
      ["anon@other.com", null],
    ]);
    expect(
      (await other("select count(), uniq(e.person_id) from persons p join events e on e.person_id = p.id")).results,
    ).toEqual([[2, 2]]);
    expect((await other("select count() from groups")).results).toEqual([[1]]);
    expect((await other("select count(), uniq(person_id) from person_distinct_ids")).results).toEqual([[2, 2]]);
    expect((await other(`select count() from persons where id = '${ANN}'`)).results).toEqual([[0]]);
  });
});

describe("tables", () => {
  test.each<[string, unknown[][]]>([
    [
      "select * from persons where properties.age = '9'",
      [[BOB, "2020-01-10T12:02:00Z", '{"age":"9","email":"bob@b.com"}', false]],
    ],
    [`select properties.email, is_identified from persons where id = '${ANN}'`, [["ann@a.com", true]]],
    ["select count(), countIf(is_identified), countIf(properties.email is null) from persons", [[3, 1, 1]]],
    ["select properties.address.city, properties['email'] from persons where is_identified", [["Bonn", "ann@a.com"]]],
    ["select properties.`a/b~c.d`, properties.nothing from persons where is_identified = true", [["odd", null]]],
    [
      "select distinct_id, person_id, person.properties.email from person_distinct_ids order by distinct_id limit 3",
      [
        ["ann", ANN, "ann@a.com"],
        ["anon", ANN, "ann@a.com"],
        ["bob", BOB, "bob@b.com"],
      ],
    ],
    [
      "select * from groups order by index, key",
      [
        [0, "acme", "1970-01-01T00:00:00Z", '{"founded":"2020-01-01T00:00:00Z","industry":"steel","size":10}'],
        [1, "7", "2020-01-10T12:00:00Z", '{"industry":"glass"}'],
        [1, "acme", "1970-01-01T00:00:00Z", '{"industry":"wood"}'],
      ],
    ],
    ["select properties.founded from groups where index = 0 and key = 'acme'", [["2020-01-01T00:00:00Z"]]],
    ["select groups.properties.size > 9 from groups where index = 0", [[true]]],
    [
      "select group_0.key, group_0.properties.industry, group_0.index, group_1.properties.industry, group_1.created_at, $group_0 from events where event = 'buy' order by timestamp",
      [
        ["acme", "steel", 0, null, null, "acme"],
        [null, null, null, "glass", "2020-01-10T12:00:00Z", "none"],
      ],
    ],
    [
      "select group_0.properties, group_3.properties from events where event = 'buy' order by timestamp limit 1",
      [['{"founded":"2020-01-01T00:00:00Z","industry":"steel","size":10}', "{}"]],
    ],
    ["select count() from events where group_0.properties.industry != 'steel'", [[4]]],
    ["select team_id from persons limit 1", [[1]]],
  ])("%s", async (query, expected) => {
    expect(await rows(query)).toEqual(expected);
  });

  test("of one id or key that stands in braces", async () => {
    const ask = async (query: string, values: { [key: string]: Json }) =>
      (await hogql(lake, query, { nowMs: NOW }, { values })).results;
    const person = "select created_at, is_identified, properties from persons where id = {id}";
    const time = "2020-01-10T12:02:00Z";
    expect(await ask(person, { id: BOB })).toEqual([[time, false, '{"age":"9","email":"bob@b.com"}']]);
    expect(await ask(person, { id: "no uuid" })).toEqual([]);
    const group = "select properties from groups where index = {index} and key = {key}";
    expect(await ask(group, { index: 1, key: "7" })).toEqual([['{"industry":"glass"}']]);
    expect(await ask(group, { index: -1, key: "7" })).toEqual([]);
  });

  test("types", async () => {
    const types = async (query: string) => (await hogql(lake, query)).types.map(([, type]) => type);
    expect(await types("select * from persons")).toEqual(["UUID", "DateTime64(6, 'UTC')", "String", "Bool"]);
    expect(await types("select * from groups")).toEqual(["UInt8", "String", "DateTime64(6, 'UTC')", "String"]);
    expect(await types("select * from person_distinct_ids")).toEqual(["String", "UUID"]);
    expect(await types("select person.created_at, person.properties.x, group_1.key from events")).toEqual([
      "Nullable(DateTime64(6, 'UTC'))",
      "Nullable(String)",
      "Nullable(String)",
    ]);
    expect(await types("select p.id, p.properties from events e left join persons p on p.id = e.person_id")).toEqual([
      "Nullable(UUID)",
      "Nullable(String)",
    ]);
  });
});

describe("joins", () => {
  test.each<[string, unknown[][]]>([
    [
      "select e.distinct_id, p.properties.email from events e join persons p on p.id = e.person_id where e.event = 'buy' order by e.timestamp",
      [
        ["ann", "ann@a.com"],
        ["bob", "bob@b.com"],
      ],
    ],
    [
      "select distinct_id, p.properties.email, p.id is null from events e left join persons as p on e.person_id = p.id where event = 'view' order by timestamp limit 2",
      [
        ["anon", "ann@a.com", false],
        ["ghost", null, true],
      ],
    ],
    [
      "select p.properties.email, count(e.uuid) from persons p left join events e on e.person_id = p.id and e.event = 'buy' group by p.properties.email order by 1",
      [
        ["ann@a.com", 1],
        ["bob@b.com", 1],
        [null, 0],
      ],
    ],
    // A column is the same with and without its table's name.
    [
      "select p.is_identified, count() from events e join persons p on p.id = e.person_id group by is_identified order by 2",
      [
        [true, 2],
        [false, 3],
      ],
    ],
    [
      "select is_identified as x, count() from events e join persons p on p.id = e.person_id group by p.is_identified having not p.is_identified",
      [[false, 3]],
    ],
    // Two NULLs do not meet.
    ["select count() from persons a join persons b on a.properties.nope = b.properties.nope", [[0]]],
    ["select count() from persons a join persons b on a.properties.email = b.properties.email and a.id = b.id", [[2]]],
    [
      "select count() from persons p join person_distinct_ids d on d.person_id = p.id and d.distinct_id like 'an%'",
      [[2]],
    ],
    [
      "select distinct_id, p.distinct_id, event from events inner join person_distinct_ids p using (distinct_id) where event = 'buy' order by timestamp",
      [
        ["ann", "ann", "buy"],
        ["bob", "bob", "buy"],
      ],
    ],
    ["select count() from events e left outer join person_distinct_ids using distinct_id", [[6]]],
    [
      "select p.properties.email, n from (select person_id as pid, count() as n from events group by pid) c join persons p on p.id = c.pid order by n",
      [
        ["ann@a.com", 2],
        ["bob@b.com", 3],
      ],
    ],
    [
      "with buyers as (select person_id as id from events where event = 'buy') select p.properties.age from persons p join buyers b on b.id = p.id order by 1",
      [["41"], ["9"]],
    ],
    [
      "select a.event, b.event, p.properties.email, g.properties.industry from events a join events b on a.person_id = b.person_id and b.timestamp > a.timestamp left join persons p on p.id = a.person.id left join groups g on g.index = 0 and g.key = a.$group_0 where a.distinct_id = 'anon'",
      [["view", "buy", "ann@a.com", "steel"]],
    ],
    // What either side looks up is inside its own part of FROM.
    [
      "select e.person.properties.email, d.person.properties.age, e.group_0.properties.industry from events e left join person_distinct_ids d on d.distinct_id = e.distinct_id and d.person.properties.vip = 'true' where e.event = 'buy' order by e.timestamp",
      [
        ["ann@a.com", "41", "steel"],
        ["bob@b.com", null, null],
      ],
    ],
    [
      "select e.* from persons p join person_distinct_ids e on e.person_id = p.id where p.properties.age = '9'",
      [["bob", BOB]],
    ],
    ["select n.number from numbers(3) n join numbers(2, 5) m on n.number = m.number", [[2]]],
  ])("%s", async (query, expected) => {
    expect(await rows(query)).toEqual(expected);
  });

  test("conditions on the time of each side choose the files", async () => {
    const range = async (query: string) => {
      await hogql(lake, query, { nowMs: NOW });
      return lake.lastRange;
    };
    const on = (day: number) => Date.parse(`2020-01-0${day}T00:00:00Z`);
    const pair = "select 1 from events a join events b on a.person_id = b.person_id";
    expect(await range(`${pair} where a.timestamp > '2020-01-05' and b.timestamp > '2020-01-03'`)).toEqual({
      fromMs: on(3),
      toMs: null,
    });
    expect(await range(`${pair} where a.timestamp > '2020-01-05'`)).toEqual({ fromMs: null, toMs: null });
    expect(await range(`${pair} and b.timestamp > '2020-01-03' where a.timestamp > '2020-01-05'`)).toEqual({
      fromMs: on(3),
      toMs: null,
    });
    const left = "select 1 from events a left join events b on a.person_id = b.person_id";
    expect(await range(`${left} and a.timestamp > '2020-01-06' where b.timestamp > '2020-01-03'`)).toEqual({
      fromMs: null,
      toMs: null,
    });
    expect(
      await range(
        `${left} and b.timestamp > '2020-01-03' and a.timestamp > '2020-01-06' where a.timestamp > '2020-01-04'`,
      ),
    ).toEqual({ fromMs: on(3), toMs: null });
    expect(
      await range("select 1 from persons p join events e on e.person_id = p.id where e.timestamp > '2020-01-04'"),
    ).toEqual({
      fromMs: on(4),
      toMs: null,
    });
  });
});

test("the printed query", async () => {
  const printed = async (query: string) => (await hogql(lake, query)).hogql;
  expect(
    await printed(
      "select e.person.properties.`a b`, group_0.key from events e left join persons as p on p.id = e.person_id and p.is_identified join person_distinct_ids d using (distinct_id)",
    ),
  ).toBe(
    "SELECT e.person.properties.`a b`, group_0.key FROM events AS e LEFT JOIN persons AS p ON and(equals(p.id, e.person_id), p.is_identified) JOIN person_distinct_ids AS d USING (distinct_id) LIMIT 100",
  );
});

async function total(more: { [key: string]: Json }, options = {}): Promise<number> {
  const { results } = await trends(
    lake,
    { series: [{ kind: "EventsNode" }], trendsFilter: { display: "BoldNumber" }, ...more },
    { nowMs: NOW, ...options },
  );
  return results[0]!.aggregated_value!;
}

describe("trends", () => {
  const dau = { kind: "EventsNode", math: "dau" };
  const person = (key: string, operator: string, value: Json = null) => ({ type: "person", key, operator, value });
  const group = (index: number, key: string, operator: string, value: Json) => ({
    ...person(key, operator, value),
    type: "group",
    group_type_index: index,
  });

  test("count a person once, whatever its ids", async () => {
    expect(await total({ series: [dau] })).toBe(3);
    expect(await total({ series: [dau] }, { aggregateByDistinctId: true })).toBe(4);
    const cumulative = { display: "ActionsLineGraphCumulative" };
    const { results } = await trends(lake, { series: [dau], trendsFilter: cumulative }, { nowMs: NOW });
    expect(results[0]!.count).toBe(3);
  });

  test.each<[Json, number]>([
    [[person("email", "exact", "ann@a.com")], 2],
    [[person("email", "is_not", "ann@a.com")], 4],
    [[person("email", "icontains", "@")], 5],
    [[person("email", "is_not_set")], 1],
    [[person("nothing", "is_set")], 0],
    [[person("age", "gt", 10)], 2],
    [[person("age", "lt", 10)], 3],
    [[person("distinct_id", "exact", ["anon", "ghost"])], 2],
    [[group(0, "industry", "exact", "steel")], 2],
    [[group(0, "industry", "is_not", "steel")], 4],
    [[group(1, "industry", "exact", ["glass", "steel"])], 1],
    [[person("email", "exact", "bob@b.com"), group(1, "industry", "exact", "glass")], 1],
    [{ type: "OR", values: [person("age", "gt", 10), group(1, "industry", "exact", "glass")] }, 3],
  ])("filtered by %j", async (properties, expected) => {
    expect(await total({ properties })).toBe(expected);
    expect(await total({ series: [{ kind: "EventsNode", properties }] })).toBe(expected);
    const testAccounts = await total({ filterTestAccounts: true }, { testAccountFilters: properties });
    expect(testAccounts).toBe(expected);
    const filters = { properties };
    const found = await hogql(lake, "select count() from events where {filters}", { nowMs: NOW }, { filters });
    expect(found.results).toEqual([[expected]]);
  });

  test("a filter of one series is none of another's", async () => {
    const { results } = await trends(
      lake,
      {
        series: [
          { ...dau, properties: [person("email", "exact", "ann@a.com")] },
          { kind: "EventsNode", properties: [group(0, "industry", "exact", "steel")] },
          { kind: "EventsNode" },
        ],
      } as { [key: string]: Json },
      { nowMs: NOW },
    );
    expect(results.map((item) => item.count)).toEqual([1, 2, 6]);
  });
});
