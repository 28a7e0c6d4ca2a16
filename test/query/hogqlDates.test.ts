import { afterAll, expect, test } from "bun:test";
import { type Table, testFunctions } from "./functionTables.ts";
import { openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

const DATES: Table = [
  [
    "formatDateTime(toDateTime('2020-03-11 10:05:09'), '%Y-%m-%d %H:%i:%S %M %b %a %e %c %% %y %j')",
    ["2020-03-11 10:05:09 March Mar Wed 11 03 % 20 071"],
  ],
  [
    "dateName('month', toDate('2020-03-11')), monthName(toDate('2020-03-11')), dayName(toDate('2020-03-11')), parseDateTime('2020/03/11', '%Y/%m/%d'), parseDateTime('x', '%Y')",
    ["March", "March", "Wednesday", "2020-03-11T00:00:00Z", null],
  ],
  [
    "toWeek(toDate('2020-03-11')), toWeek(toDate('2020-03-11'), 3), toYearWeek(toDate('2020-03-11')), toISOYear(toDate('2020-01-01')), toDayOfWeek(toDate('2020-03-15')), toDayOfWeek(toDate('2020-03-15'), 3)",
    [10, 11, 202010, 2020, 7, 1],
  ],
  [
    "toStartOfInterval(toDateTime('2020-03-11 10:00:00'), interval 2 week), toStartOfInterval(toDateTime('2020-05-11'), interval 3 month), toStartOfISOYear(toDate('2020-05-05')), toMonday(toDate('2020-05-05'))",
    ["2020-03-09", "2020-04-01", "2019-12-30", "2020-05-04"],
  ],
  [
    "makeDate(2020, 1, 2), makeDateTime(2020, 1, 2, 3, 4, 5), makeDate(2020, 13, 1), UUIDv7ToDateTime('016f6658-4ec8-7000-8000-000000000001')",
    ["2020-01-02", "2020-01-02T03:04:05Z", null, "2020-01-02T13:01:01Z"],
  ],
  [
    "fromUnixTimestamp64Milli(1000), toUnixTimestamp64Milli(toDateTime('2020-01-01')), toYYYYMMDDhhmmss(toDateTime('2020-01-02 03:04:05')), toLastDayOfMonth(toDate('2020-02-03'))",
    ["1970-01-01T00:00:01Z", 1577836800000, 20200102030405, "2020-02-29"],
  ],
];

testFunctions(rows, [["dates", DATES]]);

test("a time shown in another zone keeps it", async () => {
  const shown = "toTimeZone(toDateTime('2020-03-11 02:00:00'), 'America/New_York')";
  expect(
    await rows(
      `select ${shown}, toHour(${shown}), toDate(${shown}), toStartOfDay(${shown}), ${shown} + interval 1 day, toString(${shown})`,
    ),
  ).toEqual([
    [
      "2020-03-10T22:00:00-04:00",
      22,
      "2020-03-10",
      "2020-03-10T00:00:00-04:00",
      "2020-03-11T22:00:00-04:00",
      "2020-03-10 22:00:00",
    ],
  ]);
});
