import { afterAll, describe, expect, test } from "bun:test";
import { NOW, openScene } from "./hogqlScene.ts";
import { hogql } from "./support.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

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

test("conditions on time choose the files of all uses of the table together", async () => {
  const range = async (query: string) => {
    await hogql(lake, query, { nowMs: NOW });
    return lake.lastRange;
  };
  const day = Date.parse("2020-01-05T00:00:00Z");
  expect(
    await range("select 1 from events where timestamp >= '2020-01-05' and timestamp < toDateTime('2020-01-06')"),
  ).toEqual({ fromMs: day, toMs: day + 86_399_999 });
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

test("a conversion of a conversion is as long as both", async () => {
  const lengthOf = async (expression: string) => {
    await hogql(lake, `select ${expression} from events`, { nowMs: NOW, timezone: "America/New_York" });
    return lake.lastSql.length;
  };
  const day = await lengthOf("toDate(timestamp)");
  expect(await lengthOf("toDateTime(toDate(timestamp))")).toBeLessThan(3 * day);
  expect(await lengthOf("toDate(toDateTime(toDate(timestamp)))")).toBeLessThan(4 * day);
});
