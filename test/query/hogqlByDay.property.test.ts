import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { FUNCTIONS } from "../../src/query/hogql/functions/mod.ts";
import { closeParser } from "../../src/query/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { CASES_MS, runs } from "../support/randomCases.ts";
import { hogql } from "./support.ts";

setDefaultTimeout(CASES_MS);

// Grouped SELECTs read the events by day, number the buckets and tell persons apart by less than their ids, where that gives
// the same. Here each is asked again in a form of which nothing of that is known.

let lake: MemoryLake;
beforeAll(async () => {
  lake = await MemoryLake.open();
});
afterAll(async () => {
  closeParser();
  await lake.close();
});

const DAY_MS = 86_400_000;
const of = <T>(...values: T[]) => fc.constantFrom(...values);

const KEYS = [
  "toStartOfDay(timestamp)",
  "toStartOfWeek(timestamp)",
  "toStartOfWeek(timestamp, 1)",
  "toStartOfMonth(timestamp)",
  "toStartOfQuarter(timestamp)",
  "toStartOfYear(timestamp)",
  "toStartOfHour(timestamp)",
  "toStartOfMinute(timestamp)",
  "toStartOfInterval(timestamp, interval 1 day)",
  "toDate(timestamp)",
  "toMonday(timestamp)",
  "toYYYYMM(timestamp)",
  "toHour(timestamp)",
  "event",
  "person_id",
];

const VALUES = [
  "count()",
  "count(*)",
  "count(1)",
  "count(event)",
  "countIf(event = 'a')",
  "count() filter (where event != 'a')",
  "count(distinct person_id)",
  "countIf(toDate(timestamp) >= '2020-03-08')",
  "uniq(person_id)",
  "uniqIf(person_id, event = 'a')",
  "uniq(event)",
  "uniq(toStartOfWeek(timestamp))",
  "uniqArray([event])",
  "uniq(person_id, event)",
  "min(toStartOfDay(timestamp))",
  "max(toStartOfMonth(timestamp))",
  "minIf(toDate(timestamp), event = 'a')",
  "min(timestamp)",
  "max(toHour(timestamp))",
  "sum(1)",
  "sumIf(2, event = 'a')",
  "avg(length(event))",
  "countOrNull()",
  "length(groupArray(event))",
  "sum(count()) over ()",
  "any(1) + count()",
];

const CONDITIONS = [
  "event = 'a'",
  "event in ('a', 'c')",
  "timestamp >= '2020-03-07'",
  "timestamp < '2020-03-09'",
  "timestamp <= '2020-03-08T23:59:59.999999'",
  "timestamp > '2020-03-07T12:00:00'",
  "timestamp between '2020-03-06' and '2020-03-10'",
  "toStartOfDay(timestamp) >= '2020-03-07'",
  "toDate(timestamp) != '2020-03-08'",
];

const query = fc
  .record({
    keys: fc.uniqueArray(of(...KEYS), { maxLength: 2 }),
    values: fc.uniqueArray(of(...VALUES), { minLength: 1, maxLength: 3 }),
    conditions: fc.uniqueArray(of(...CONDITIONS), { maxLength: 3 }),
    having: of("", " having count() > 1"),
  })
  .map(({ keys, values, conditions, having }) => {
    const named = keys.map((key, i) => `${key} as k${i}`);
    const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
    const by = keys.length === 0 ? "" : ` group by ${keys.map((_, i) => `k${i}`).join(", ")}`;
    return `select ${[...named, ...values].join(", ")} from events${where}${by}${having}`;
  });

const event = fc.record({
  event: of("a", "b", "c"),
  distinctId: of("x", "y", "z"),
  timestampMs: fc
    .integer({ min: -3 * 96, max: 3 * 96 })
    .map((quarters) => Date.parse("2020-03-08T07:00:00Z") + quarters * (DAY_MS / 96)),
});

test("by day and by event, by number and by time, as who and by id: the same rows", async () => {
  let byDay = 0;
  const property = fc.asyncProperty(
    fc.array(event, { maxLength: 30 }),
    fc.array(query, { minLength: 3, maxLength: 3 }),
    of("UTC", "America/New_York", "Asia/Kolkata", "Pacific/Apia"),
    of(0, 1),
    async (events, queries, timezone, weekStartDay) => {
      await lake.empty();
      await lake.add(events);
      for (const text of queries) {
        const options = { timezone, weekStartDay: weekStartDay as 0 | 1 };
        const rows = async (asked: string) =>
          (await hogql(lake, asked, options)).results.map((row) => JSON.stringify(row));
        const found = await rows(text);
        if (lake.lastSql.includes("AS events")) byDay++;
        const plain = text
          .replaceAll("timestamp", "(timestamp + interval 0 second)")
          .replaceAll("person_id", "toUUID(toString(person_id))");
        expect(found.toSorted()).toEqual((await rows(plain)).toSorted());
      }
    },
  );
  await fc.assert(property, { numRuns: runs(60) });
  expect(byDay).toBeGreaterThan(10);
});

const IGNORING = [...FUNCTIONS].flatMap(([name, { ignoresRepeats }]) => (ignoresRepeats === true ? [name] : []));

test("few functions are said to ignore repeats", () => {
  const known = ["countDistinct", "uniq", "uniqExact", "uniqHLL12", "uniqTheta", "uniqCombined"];
  expect(IGNORING.toSorted()).toEqual([...known, "min", "max", "groupBitAnd", "groupBitOr"].toSorted());
});

test.each(IGNORING)("%s is the same of rows that stand there several times", async (name) => {
  for (const of of ["x", "if(x = 2, null, x)", "toString(x)"]) {
    const ask = async (numbers: string) =>
      (await hogql(lake, `select ${name}(${of}) from (select arrayJoin(${numbers}) as x)`)).results;
    expect(await ask("[1, 2, 2, 3, 1, 3, 3]")).toEqual(await ask("[1, 2, 3]"));
  }
});

test("what is written of a condition that always holds, and of an equality that was printed", async () => {
  await hogql(lake, "select count(), countIf(event = 'a') from events where uuid is not null");
  expect(lake.lastSql).not.toContain("FILTER (WHERE TRUE)");
  const joined = "from events a join events b on equals(a.uuid, b.uuid)";
  expect((await hogql(lake, `select count() ${joined}`)).results).toEqual(
    (await hogql(lake, "select count() from events")).results,
  );
});

test("only changes of the clock within the bounds are written out", async () => {
  const options = { timezone: "America/New_York" };
  const days = "select toDate(timestamp), count() from events where timestamp >= '2020-02-01'";
  await hogql(lake, `${days} group by 1`, options);
  const open = lake.lastSql.length;
  await hogql(lake, `${days} and timestamp < '2020-04-01' group by 1`, options);
  expect(lake.lastSql.length).toBeLessThan(open / 4);
});
