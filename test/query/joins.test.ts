import { afterAll, describe, expect, test } from "bun:test";
import { BOB, NOW, openPersonsScene } from "./personsScene.ts";
import { hogql } from "./support.ts";

const { lake, rows } = await openPersonsScene();
afterAll(() => lake.close());

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
