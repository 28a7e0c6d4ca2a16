import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { personIdOf } from "../../src/types/mod.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { StoredLake } from "./storedLake.ts";
import { failure, hogql } from "./support.ts";

setDefaultTimeout(CASES_MS);

// What is made of a key of GROUP BY can be made of each row and grouped afterwards, by a loop.

const NOW = Date.parse("2020-02-20T10:00:00Z");
const HOUR = 3_600_000;
const EVENTS = 30;

/** Each kind of key, and what is made of one (`K`). */
const KINDS = {
  text: {
    keys: [
      "event",
      "distinct_id",
      "properties.s",
      "properties.n",
      "properties.o",
      "properties.at",
      "person.properties.age",
      "$group_0",
      "group_0.properties.size",
      "group_0.key",
      "$session_id",
      "session.id",
      "session.$entry_pathname",
      "person_mode",
      "toString(person_id)",
      "toString(properties.n)",
      "JSONExtractString(properties.o, 'k')",
    ],
    made: [
      "length(K)",
      "concat(K, '!')",
      "toFloat(K)",
      "toInt(K)",
      "K + 1",
      "K = 'x'",
      "K = 3",
      "K > 1",
      "K in ('x', '3')",
      "K in (1, 3)",
      "K between 1 and 9",
      "K like 'x%'",
      "ifNull(K, 'none')",
      "if(K is null, 1, 0)",
      "if(K = 'x', 1, 0)",
      "arrayMap(y -> concat(y, ifNull(K, '')), ['a'])",
      "(K, 1)",
      "storedText(K)",
      "storedTime(K)",
      "toDateTime(K)",
      "JSONExtractString(K, 'k')",
    ],
  },
  uuid: {
    keys: ["person_id", "person.id", "pdi.person_id", "uuid"],
    made: [
      "toString(K)",
      "concat(toString(K), 'x')",
      "length(toString(K))",
      "if(K is null, 1, 0)",
      "[K]",
      "(K, 1)",
      `K = '${personIdOf(1, "ann")}'`,
      "K in (select id from persons where properties.age = '41')",
      "arrayMap(y -> concat(y, toString(K)), ['a'])",
    ],
  },
  time: {
    keys: [
      "timestamp",
      "toStartOfHour(timestamp)",
      "toStartOfDay(timestamp)",
      "toStartOfMonth(timestamp)",
      "toDate(timestamp)",
      "person.created_at",
      "session.$start_timestamp",
      "properties.day",
    ],
    made: [
      "toString(K)",
      "toDate(K)",
      "toStartOfMonth(K)",
      "toMonth(K)",
      "dateDiff('day', K, toDateTime('2020-03-01'))",
      "K >= toDateTime('2020-01-11')",
      "addDays(K, 1)",
      "(K, 1)",
    ],
  },
  number: {
    keys: ["toFloat(properties.n)", "properties.price", "length(event)", "toHour(timestamp)", "properties.price + 1"],
    made: ["K + 1", "toString(K)", "K > 1", "round(K)", "K in (1, 3)", "if(K is null, 1, 0)", "(K, K)"],
  },
  condition: {
    keys: ["properties.s = 'x'", "properties.n > 1", "event in ('buy', 'x')", "personless", "properties.yes"],
    made: ["if(K, 1, 0)", "not K", "toString(K)", "K and true", "K = true"],
  },
  list: {
    keys: ["arrayMap(x -> concat(x, 'a'), [properties.s])", "splitByChar(',', ifNull(properties.s, ''))"],
    made: ["length(K)", "K[1]", "has(K, 'xa')", "arrayMap(x -> length(x), K)"],
  },
  tuple: { keys: ["(event, properties.s)", "tuple(person_id, event)"], made: ["K.2", "tupleElement(K, 1)", "[K]"] },
};

const TYPES: Record<string, "Numeric" | "DateTime" | "Boolean"> = { price: "Numeric", day: "DateTime", yes: "Boolean" };
const records = { ...NO_RECORDS, propertyType: (_: unknown, key: string) => TYPES[key] ?? null };

const event = (i: number) => ({
  event: ["buy", "view"][i % 2]!,
  distinctId: ["ann", "anon", "bob", "ghost"][i % 4]!,
  timestampMs: Date.parse("2020-01-10T12:00:00Z") + i * 13 * HOUR,
  properties: {
    s: ["x", "", null, "x,y"][i % 4],
    n: [3, "3", "no number", 1.5, null][i % 5],
    price: [9, "9", "9.0", 2.5, "none", true][i % 6],
    day: ["2020-01-05T10:00:00+02:00", "2020-01-05 08:00:00", 5][i % 3],
    yes: [true, false, "true", 1][i % 4],
    o: [{ k: "deep" }, { k: 3 }, "plain", [1]][i % 4],
    at: ["2020-01-05", 1_578_218_400, null][i % 3],
    $group_0: ["acme", "none"][i % 2],
    $session_id: `s${i % 3}`,
    $current_url: `https://x.test/${i % 2}`,
  },
  ...(i % 4 === 3 && { personMode: 1 }),
});

let lake: StoredLake;
beforeAll(async () => {
  lake = await StoredLake.open();
  const events = Array.from({ length: EVENTS - 1 }, (_, i) => event(i));
  await lake.store(1, {
    events: events.slice(0, -1),
    persons: [
      { distinctIds: ["ann", "anon"], properties: { age: 41 }, createdAtMs: NOW - HOUR, isIdentified: true },
      { distinctIds: ["bob"], properties: { age: "9" }, createdAtMs: NOW - 2 * HOUR },
    ],
    groups: [{ index: 0, key: "acme", properties: { size: 10 } }],
  });
  // Some persons have numbers, some have none.
  await lake.compact(1);
  const late = { ...event(2), distinctId: "new" };
  await lake.store(1, { events: [...events.slice(-1), late], persons: [{ distinctIds: ["new"] }], groups: [] });
});
afterAll(() => lake.close());

const ask = async (query: string) => (await hogql(lake, query, { nowMs: NOW, records })).results as unknown[][];

/** A SELECT of the rows of a time that is known, so that buckets are numbered. */
const RANGE = "where timestamp >= '2020-01-01' and timestamp < '2020-03-01'";

const put = (made: readonly string[], key: string) =>
  made.map((expression) => expression.replaceAll("K", /[=> ]/.test(key) ? `(${key})` : key));

interface Case {
  key: string;
  made: readonly string[];
}

/** Rows in one order: `made` and how many events have the key. */
async function byLoop({ key, made }: Case): Promise<unknown[][]> {
  const rows = await ask(`select ${[key, ...put(made, key)].join(", ")} from events ${RANGE}`);
  const groups = Map.groupBy(rows, ([value]) => JSON.stringify(value));
  return [...groups.values()].map((group) => {
    const [, ...first] = group[0]!;
    for (const [, ...other] of group) expect(other).toEqual(first);
    return [...first, group.length];
  });
}

const sorted = (rows: readonly unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();

/** The same of an inner SELECT, which shows more. */
const inner = (made: readonly string[], rest: string) =>
  `select ${made.map((_, i) => `m${i}`)}, c from (select ${made.map((one, i) => `${one} as m${i}`)}, count() as c, ${rest})`;

/** Ways to say the same, each with the columns `made` and `count()`. */
const WAYS: Record<string, (made: (key: string) => string[], key: string) => string> = {
  "the key is not shown": (made, key) => `select ${made(key)}, count() from events ${RANGE} group by ${key}`,
  "a table's name": (made, key) => `select ${made(key)}, count() from events as e ${RANGE} group by ${key}`,
  "a place": (made, key) => inner(made(key), `${key} from events ${RANGE} group by ${made(key).length + 2}`),
  "a name": (made, key) => inner(made(key), `${key} as k from events ${RANGE} group by k`),
  "the key behind a name": (made, key) =>
    `select ${made(key).map((_, i) => `m${i}`)}, c from (select ${key} as k,
      ${made("k").map((one, i) => `${one} as m${i}`)}, count() as c from events ${RANGE} group by ${key})`,
  "all columns": (made, key) => inner(made(key), `${key} from events ${RANGE} group by all`),
  "a name of WITH": (made, key) =>
    `with t as (select ${key} as k from events ${RANGE}) select ${made("k")}, count() from t group by k`,
  "HAVING, ORDER BY and LIMIT BY": (made, key) =>
    `select ${made(key)}, count() from events ${RANGE} group by ${key}
      having ${made(key)
        .map((one) => `(isNull(${one}) or isNotNull(${one}))`)
        .join(" and ")}
      order by ${made(key)} limit 1 by ${key}, ${made(key)}`,
  "a window": (made, key) =>
    `select ${made(key)}, sum(count()) over (partition by ${key}) from events ${RANGE} group by ${key}`,
  "other aggregates": (made, key) =>
    inner(
      made(key),
      `uniq(person_id), sum(toFloat(properties.n)), max(toString(${key})), groupArray(properties.o.k)
        from events ${RANGE} group by ${key}`,
    ),
};

/** Further checks of a key, beside the ways. */
const CHECKS: Record<string, (one: Case, expected: readonly string[]) => Promise<void>> = {
  "ROLLUP has a row of totals more": async ({ key, made }, expected) => {
    const rows = await ask(`select ${put(made, key)}, count() from events ${RANGE} group by rollup(${key})`);
    const all = sorted(rows);
    for (const row of expected) all.splice(all.indexOf(row), 1);
    expect(all.map((row) => JSON.parse(row).at(-1))).toEqual([EVENTS]);
  },
  "with another key": async ({ key, made }) => {
    const grouped = await ask(`select ${put(made, key)}, event, count() from events ${RANGE} group by event, ${key}`);
    const rows = await ask(`select ${[key, ...put(made, key)]}, event from events ${RANGE}`);
    const groups = Map.groupBy(rows, ([value, ...more]) => JSON.stringify([value, more.at(-1)]));
    const counted = [...groups.values()].map((group) => [...group[0]!.slice(1), group.length]);
    expect(sorted(grouped)).toEqual(sorted(counted));
  },
};

/** Some of them, others for each key. */
const someOf = (all: readonly string[], usual: number, i: number): string[] =>
  Array.from({ length: Math.min(runs(usual), all.length) }, (_, j) => all[(3 * i + j) % all.length]!);

const cases = Object.values(KINDS)
  .flatMap(({ keys, made }) => keys.map((key) => ({ key, made })))
  .map((one, i) => ({
    ...one,
    ways: someOf(Object.keys(WAYS), 2, i),
    checks: someOf(Object.keys(CHECKS), 1, i),
  }));

describe.each(cases)("GROUP BY $key", (one) => {
  let expected: string[];
  beforeAll(async () => {
    expected = sorted(await byLoop(one));
  });

  test.each(one.ways)("%s", async (way) => {
    expect(sorted(await ask(WAYS[way]!((key) => put(one.made, key), one.key)))).toEqual(expected);
  });

  test.each(one.checks)("%s", (check) => CHECKS[check]!(one, expected));
});

test("a person that nothing shows is told by a number", async () => {
  await ask("select count() from events group by person_id");
  expect(lake.lastSql).toContain("GROUP BY struct_pack(");
  await ask(`select uniq(person_id) from events where person_id != '${personIdOf(1, "bob")}' group by person_id`);
  expect(lake.lastSql).toContain("GROUP BY struct_pack(");
  await ask("select toString(person_id), count() from events group by person_id");
  expect(lake.lastSql).not.toContain("struct_pack(");
});

test("a number under an aggregate is not read out of the text of a key", async () => {
  await ask("select properties.n as n, sum(toFloat(n)) from events where n > 1 group by n");
  expect(lake.lastSql).toContain("sum(t0.n0)");
  expect(lake.lastSql).not.toContain("TRY_CAST(t0.k0");
});

test("a part of JSON, of an alias", async () => {
  const query = "select properties.o as o, o.k, toFloat(o.k), count() from events group by o order by o";
  expect(await ask(query)).toEqual([
    ["[1]", null, null, 7],
    ["plain", null, null, 8],
    ['{"k":"deep"}', "deep", null, 8],
    ['{"k":3}', "3", 3, 7],
  ]);
});

test("arrayJoin that is no key is refused in words of the query", async () => {
  const query = "select arrayJoin(splitByChar(',', event)), count() from events group by event";
  expect((await failure(ask(query))).message).toBe(
    "Column `arrayJoin(splitByChar(',', event))` is not under an aggregate function and not in GROUP BY",
  );
});
