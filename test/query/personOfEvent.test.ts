import { afterAll, describe, expect, test } from "bun:test";
import { MemoryLake } from "../support/memoryLake.ts";
import { ANN, BOB, HOSTILE, NOW, openPersonsScene } from "./personsScene.ts";
import { hogql, trends } from "./support.ts";

const { lake, rows, total } = await openPersonsScene();
afterAll(() => lake.close());

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
