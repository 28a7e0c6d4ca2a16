import { afterAll, expect, test } from "bun:test";
import { openScene } from "./hogqlScene.ts";
import { failure } from "./support.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

test("a number beside a day counts days, beside a time seconds", async () => {
  expect(
    await rows("select today() - 7, toDate('2024-02-28') + 2, 1 + toDate('2024-02-28'), toDateTime('2024-01-01') + 90"),
  ).toEqual([["2020-02-13", "2024-03-01", "2024-02-29", "2024-01-01T00:01:30Z"]]);
  expect(
    await rows(`select plus(today(), 7), plus(1, toDate('2024-02-28')), minus(toDateTime('2024-01-01'), 90), minus(toDate('2024-03-01'), toDate('2024-02-28')),
      plus(toDateTime('2024-01-31'), interval 1 month), minus(toDate('2024-03-31'), toIntervalMonth(1)), modulo(7, 2.5)`),
  ).toEqual([["2020-02-27", "2024-02-29", "2023-12-31T23:58:30Z", 2, "2024-02-29T00:00:00Z", "2024-02-29", 2]]);
  expect(await rows("select toDate(properties.at) + length(properties.s) from events where properties.n = 3")).toEqual([
    ["2020-01-06"],
  ]);
  expect(await rows("select toDate(19737), toDate(65535), toDate(1705312800), toDate(1705312800.5)")).toEqual([
    ["2024-01-15", "2149-06-06", "2024-01-15", "2024-01-15"],
  ]);
  expect(
    await rows("select toDate(1705312800), toDate(toInt(properties.x)) from events limit 1", "Asia/Tokyo"),
  ).toEqual([["2024-01-15", null]]);
  expect(await rows("select toDate(1705359600)", "Asia/Tokyo")).toEqual([["2024-01-16"]]);
  expect((await failure(rows("select 7 - today()"))).message).toContain("Cannot use a date");
});

test("one bit, up to the last one, and none beyond it", async () => {
  const bits = (n: string) => rows(`select toString(bitShiftLeft(1, ${n})), toString(bitShiftLeft(toInt(1), ${n}))`);
  const last = (2n ** 62n).toString();
  for (const [n, bit] of [
    ["0", "1"],
    ["62", last],
    ["63", `-${2n ** 63n}`],
    ["64", "0"],
  ] as const) {
    expect(await bits(n)).toEqual([[bit, bit]]);
    expect(await bits(`toInt('${n}')`)).toEqual([[bit, bit]]);
  }
  expect(await rows("select bitShiftLeft(1, toInt('x'))")).toEqual([[null]]);
});

test("NULL is in a subquery that has one, and in no other", async () => {
  // n: 3, null, absent, 100.
  const counted = (condition: string) => rows(`select countIf(${condition}), countIf(not (${condition})) from events`);
  expect(await counted("properties.n in (select properties.n from events)")).toEqual([[4, 0]]);
  expect(await counted("properties.n in (select properties.n from events where properties.n is not null)")).toEqual([
    [2, 2],
  ]);
  expect(await rows("select count() from events where properties.n in (select properties.n from events)")).toEqual([
    [4],
  ]);
  expect(await rows("select count() from events where properties.n not in (select properties.n from events)")).toEqual([
    [0],
  ]);
});

test("what is read of JSON that is not there is NULL, so that averages leave it out", async () => {
  expect(
    await rows(`select avg(JSONExtractInt(properties.o, 'k', 1)), count(JSONExtractString(properties.o, 'x')),
      countIf(JSONHas(properties.o, 'x')), count(JSONLength(properties.o)), uniq(JSONExtractFloat(properties.o, 'x')) from events`),
  ).toEqual([[1, 1, 0, 1, 1]]);
});

test("the last value of a window, and what is sorted of an aggregate in HAVING", async () => {
  // n: 3, null, absent, 100; s: x, y, "", absent.
  expect(
    await rows(`select last_value(properties.n) over (order by timestamp), anyLast(properties.s) over (partition by event order by timestamp),
      anyLastIf(properties.s, event = 'buy') over (order by timestamp) from events order by timestamp`),
  ).toEqual([
    ["3", "x", "x"],
    ["3", "y", "y"],
    ["3", "", "y"],
    ["100", "", "y"],
  ]);
  const sorted = "select event, arraySort(groupArray(distinct_id)) as ids from events group by event having";
  expect(await rows(`${sorted} length(ids) > 0 and ids[1] = 'a' order by event`)).toEqual([
    ["buy", ["a", "b"]],
    ["view", ["a", "c"]],
  ]);
  expect(await rows(`${sorted} has(ids, 'c') order by ids`)).toEqual([["view", ["a", "c"]]]);
  const others =
    "topK(1)(distinct_id), sumMap([event], [1]), arrayMap(t -> t.1, groupArray((distinct_id, event))), arraySlice(groupArray(event), 1, 1)";
  for (const other of others.split(/, (?=topK|sumMap|arrayMap|arraySlice)/)) {
    expect(await rows(`select event, ${other} as made from events group by event having notEmpty(made)`)).toHaveLength(
      2,
    );
  }
});

test("what goes with the greatest of no rows is the type's zero, as the greatest itself", async () => {
  const [s, n] = ["properties.s", "length(event)"];
  expect(
    await rows(`select argMax(event, timestamp), argMin(${n}, event), argMax(${s}, timestamp), argMaxIf(event, ${n}, event = 'x'), argMaxOrNull(event, ${n}),
      max(event), max(${s}) from events where event = 'none'`),
  ).toEqual([["", 0, null, "", null, "", null]]);
});

test("weeks are the project's only where nothing else is said", async () => {
  // A Wednesday.
  const at = "toDateTime('2020-03-11 10:00:00')";
  const asked = `select toStartOfWeek(${at}), dateTrunc('week', ${at}), toStartOfInterval(${at}, interval 1 week), toLastDayOfWeek(${at})`;
  expect(await rows(asked, "UTC", 0)).toEqual([["2020-03-08", "2020-03-09", "2020-03-09", "2020-03-14"]]);
  expect(await rows(asked, "UTC", 1)).toEqual([["2020-03-09", "2020-03-09", "2020-03-09", "2020-03-14"]]);
});

test("a funnel of rows: how far each got in time", async () => {
  const funnel = (seconds: number) =>
    rows(
      `select distinct_id, windowFunnel(${seconds})(toDateTime(timestamp), event = 'buy', event = 'view') from events group by distinct_id order by distinct_id`,
    );
  const day = 24 * 3600;
  expect(await funnel(day)).toEqual([
    ["a", 2],
    ["b", 1],
    ["c", 0],
  ]);
  expect(await funnel(day - 1)).toEqual([
    ["a", 1],
    ["b", 1],
    ["c", 0],
  ]);
  expect(
    (await failure(rows("select windowFunnel(10, 'strict_order')(timestamp, true) from events"))).message,
  ).toContain("strict_order");
  expect(await rows("select retention(event = 'buy', event = 'view', event = 'x') from events")).toEqual([[[1, 1, 0]]]);
});

test("cityHash64 is ClickHouse's, for texts of every length", async () => {
  // As ClickHouse 26.7 answers.
  const known: [string, string][] = [
    ["", "11160318154034397263"],
    ["a", "2603192927274642682"],
    ["größe ÄÖ", "3613791238435067490"],
    ["0123456789abcdef0", "5496319037578566379"],
    ["0123456789abcdef".repeat(2), "1759797222395115254"],
    ["x".repeat(33), "9498923847066961975"],
    ["0123456789abcdef".repeat(4), "2761429772394894929"],
    ["0123456789".repeat(7), "7040186705704256002"],
    ["é".repeat(64), "10477703122110147614"],
    ["0123456789abcdef".repeat(8), "8131297151614411703"],
    ["0123456789abcdefg".repeat(50), "11638414807242311171"],
  ];
  const asked = known.map(([text]) => `toString(cityHash64('${text}'))`).join(", ");
  expect(await rows(`select ${asked}`)).toEqual([known.map(([, hash]) => hash)]);
  expect(await rows("select toString(cityHash64('a', 'b')), toString(cityHash64('user-1', 'x', 'y'))")).toEqual([
    ["7468329322676821011", "1023285358045320015"],
  ]);
  expect((await failure(rows("select cityHash64(1)"))).message).toContain("toString");
});
