import { expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { emptyLake, failure, trends } from "./support.ts";

const series = [{ kind: "EventsNode", event: "e" }];

/** Resolved range and time axis of a query without events. */
async function axis(
  dateRange: Json,
  interval: string,
  now: string,
  timezone = "UTC",
  weekStartDay: 0 | 1 = 0,
  display = "ActionsLineGraph",
) {
  const response = await trends(
    emptyLake,
    { series, interval, dateRange, trendsFilter: { display } },
    { timezone, weekStartDay, nowMs: Date.parse(now) },
  );
  const item = response.results[0]!;
  return { ...response.resolved_date_range, days: item.days, labels: item.labels, starts: item.action?.days };
}

const NOW = "2020-11-30T10:20:30.456Z";

test.each([
  [{}, "day", "2020-11-23T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "-7d" }, "day", "2020-11-23T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "-1mStart", date_to: "-1mEnd" }, "month", "2020-10-01T00:00:00Z", "2020-10-31T23:59:59.999999Z"],
  [{ date_from: "yStart" }, "month", "2020-01-01T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "mStart" }, "day", "2020-11-01T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "dStart" }, "hour", "2020-11-30T00:00:00Z", "2020-11-30T10:59:59.999999Z"],
  [{ date_from: "-1dStart", date_to: "-1dEnd" }, "hour", "2020-11-29T00:00:00Z", "2020-11-29T23:59:59.999999Z"],
  [{ date_from: "-48h" }, "day", "2020-11-28T10:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "-2w" }, "day", "2020-11-16T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "-1q" }, "day", "2020-08-31T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "3d" }, "day", "2020-11-27T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "2020-1-5", date_to: "2020-01-06" }, "day", "2020-01-05T00:00:00Z", "2020-01-06T23:59:59.999999Z"],
  [{ date_from: "2020-01-05", date_to: "2020-01-06" }, "hour", "2020-01-05T00:00:00Z", "2020-01-06T00:00:00Z"],
  [
    { date_from: "2020-01-05T10:00:00+02:00", date_to: "2020-01-06" },
    "day",
    "2020-01-05T08:00:00Z",
    "2020-01-06T23:59:59.999999Z",
  ],
  [
    { date_from: "2020-01-05", date_to: "2020-01-06T12:00:00", explicitDate: true },
    "day",
    "2020-01-05T00:00:00Z",
    "2020-01-06T12:00:00Z",
  ],
  [{ date_from: "all" }, "day", "2020-11-23T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
  [{ date_from: "no date at all!" }, "day", "2020-11-30T00:00:00Z", "2020-11-30T23:59:59.999999Z"],
])("%j by %s is %s to %s", async (range, interval, from, to) => {
  expect(await axis(range, interval, NOW)).toMatchObject({ date_from: from, date_to: to });
});

test("a number alone takes its range to the second", async () => {
  const found = await axis({}, "day", NOW, "UTC", 0, "BoldNumber");
  expect(found).toMatchObject({ date_from: "2020-11-23T10:20:30Z", date_to: "2020-11-30T10:20:30.456000Z" });
});

test("dates without an offset are local, dates with one are moved", async () => {
  const local = await axis({ date_from: "2020-07-01", date_to: "2020-07-01" }, "day", NOW, "America/Los_Angeles");
  expect(local.date_from).toBe("2020-07-01T00:00:00-07:00");
  const moved = await axis(
    { date_from: "2020-07-01T00:00:00Z", date_to: "2020-07-01" },
    "day",
    NOW,
    "America/Los_Angeles",
  );
  expect(moved.date_from).toBe("2020-06-30T17:00:00-07:00");
  expect(moved.days).toEqual(["2020-06-30", "2020-07-01"]);
});

test("labels of days, hours and months", async () => {
  expect((await axis({ date_from: "-1d" }, "day", NOW)).labels).toEqual(["29-Nov-2020", "30-Nov-2020"]);
  const hours = await axis({ date_from: "2020-01-09", date_to: "2020-01-09T01:30" }, "hour", NOW);
  expect(hours.labels).toEqual(["9-Jan 00:00", "9-Jan 01:00"]);
  expect(hours.days).toEqual(["2020-01-09 00:00:00", "2020-01-09 01:00:00"]);
  const months = await axis({ date_from: "-90d" }, "month", NOW);
  expect(months.labels).toEqual(["Sep 2020", "Oct 2020", "Nov 2020"]);
  expect(months.days).toEqual(["2020-09-01", "2020-10-01", "2020-11-01"]);
});

test("a week's label is clipped to the range, its day is not", async () => {
  const weeks = await axis({ date_from: "2020-10-31", date_to: "2020-11-30" }, "week", NOW);
  expect(weeks.days).toEqual(["2020-10-25", "2020-11-01", "2020-11-08", "2020-11-15", "2020-11-22", "2020-11-29"]);
  expect(weeks.labels).toEqual(["31-Oct-2020", "1–7 Nov", "8–14 Nov", "15–21 Nov", "22–28 Nov", "29–30 Nov"]);
  const years = await axis({ date_from: "2019-12-29", date_to: "2020-01-10" }, "week", NOW);
  expect(years.labels).toEqual(["29-Dec-2019 – 4-Jan-2020", "5–10 Jan"]);
  const mondays = await axis({ date_from: "2020-10-31", date_to: "2020-11-09" }, "week", NOW, "UTC", 1);
  expect(mondays.days).toEqual(["2020-10-26", "2020-11-02", "2020-11-09"]);
  const months = await axis({ date_from: "2020-11-23", date_to: "2020-12-02" }, "week", NOW, "UTC", 1);
  expect(months.labels).toEqual(["23–29 Nov", "30-Nov – 2-Dec"]);
});

test("an hour that the clock tells twice is two buckets, a skipped one none", async () => {
  const back = await axis({ date_from: "2020-11-01", date_to: "2020-11-01T03:00" }, "hour", NOW, "America/New_York");
  expect(back.starts).toEqual([
    "2020-11-01T00:00:00-04:00",
    "2020-11-01T01:00:00-04:00",
    "2020-11-01T01:00:00-05:00",
    "2020-11-01T02:00:00-05:00",
    "2020-11-01T03:00:00-05:00",
  ]);
  const forward = await axis({ date_from: "2020-03-08", date_to: "2020-03-08T03:00" }, "hour", NOW, "America/New_York");
  expect(forward.labels).toEqual(["8-Mar 00:00", "8-Mar 01:00", "8-Mar 03:00"]);
  const half = await axis({ date_from: "2020-10-04", date_to: "2020-10-04T04:00" }, "hour", NOW, "Australia/Lord_Howe");
  expect(half.labels).toEqual(["4-Oct 00:00", "4-Oct 01:00", "4-Oct 02:00", "4-Oct 03:00", "4-Oct 04:00"]);
});

test("a day that a zone skipped has no bucket", async () => {
  const found = await axis({ date_from: "2011-12-28", date_to: "2012-01-01" }, "day", NOW, "Pacific/Apia");
  expect(found.days).toEqual(["2011-12-28", "2011-12-29", "2011-12-31", "2012-01-01"]);
});

test("leap days and month ends", async () => {
  const leap = await axis({ date_from: "-1m", date_to: "-1m" }, "day", "2020-03-31T12:00:00Z");
  expect(leap.days).toEqual(["2020-02-29"]);
});

test("too many buckets and dates beyond any calendar are refused", async () => {
  expect((await failure(axis({ date_from: "1900-01-01" }, "hour", NOW))).message).toContain("more than 50000 buckets");
  expect((await failure(axis({ date_from: "-999999999y" }, "day", NOW))).code).toBe("invalid_query");
  expect((await failure(axis({ date_from: "-1d" }, "day", NOW, "Mars/Olympus"))).message).toContain("time zone");
});

test("a range that ends before it begins has no buckets", async () => {
  const found = await axis({ date_from: "2020-02-01", date_to: "2020-01-01" }, "day", NOW);
  expect(found.days).toEqual([]);
});
