import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { ANN, BOB, NOW, openPersonsScene } from "./personsScene.ts";
import { hogql } from "./support.ts";

const { lake, rows } = await openPersonsScene();
afterAll(() => lake.close());

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
