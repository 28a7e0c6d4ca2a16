import { afterAll, describe, expect, test } from "bun:test";
import { FIRST_UUID, openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

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
    [
      "select o.k, s.k from (select properties.o as o, properties.s as s, timestamp as t from events) order by t limit 2",
      [
        ['[1,{"z":"deep"}]', null],
        [null, null],
      ],
    ],
    ["select personless = false, personless != true from events limit 1", [[true, true]]],
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
