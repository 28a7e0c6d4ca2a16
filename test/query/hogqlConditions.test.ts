import { afterAll, describe, expect, test } from "bun:test";
import { FIRST_UUID, openScene } from "./hogqlScene.ts";

const { lake, rows } = await openScene();
afterAll(() => lake.close());

describe("conditions", () => {
  test.each<[string, number]>([
    ["event = 'buy'", 2],
    ["properties.s = 'x'", 1],
    ["properties.s != 'x'", 3],
    ["not (properties.s = 'x')", 3],
    ["not properties.s != 'x'", 1],
    ["properties.s is null", 1],
    ["properties.s is not null", 3],
    ["properties.s = properties.missing", 1],
    ["properties.s = ''", 1],
    ["properties.amount > 10", 2],
    ["not (properties.amount > 10)", 2],
    ["properties.amount = 20", 1],
    ["properties.n = '3'", 1],
    ["properties.yes = true", 1],
    ["properties.s in ('x', 'y')", 2],
    ["properties.s not in ('x', 'y')", 2],
    ["properties.s in ('x', null)", 2],
    ["event in ['buy', 'nope']", 2],
    ["distinct_id in (select distinct_id from events where event = 'view')", 3],
    ["distinct_id not in (select distinct_id from events where event = 'view')", 1],
    ["properties.n in (select properties.n from events)", 4],
    ["toFloat(properties.amount) between 10 and 15", 1],
    ["toFloat(properties.amount) not between 10 and 15", 1],
    ["event like 'b%' and event ilike 'B%' and event =~ '^b' and event not like 'v%'", 2],
    ["properties.s like '%'", 3],
    ["properties.s not like 'x'", 3],
    ["lower(event) = 'buy' or properties.s = '' and timestamp < now()", 3],
    ["timestamp >= now() - interval 20 day", 1],
    ["timestamp > '2020-01-11' and timestamp <= toDateTime('2020-01-12 00:00:00')", 1],
    ["toDate(timestamp) = '2020-01-10'", 2],
    ["timestamp between '2020-01-10 13:00:00' and '2020-01-11T23:00:00Z'", 2],
    [`uuid = '${FIRST_UUID}'`, 1],
    ["person_id = 'not a uuid'", 0],
    ["person_id = (select person_id from events where distinct_id = 'b')", 1],
    [
      "'a%b' like 'a\\\\%b' and not 'axb' like 'a\\\\%b' and 'AxB' ilike 'a_b' and 'a%b' like concat('a', '\\\\%', 'b')",
      4,
    ],
    ["1", 4],
  ])("%s", async (condition, expected) => {
    expect(await rows(`select count() from events where ${condition}`)).toEqual([[expected]]);
  });
});

test("the rule of NULLs holds where a condition is shown", async () => {
  const operators = ["=", "!=", "<", "<=", ">", ">=", "like", "not like", "=~", "!~"];
  const shown = await rows(
    `select ${operators.map((op) => `properties.s ${op} 'x', properties.s ${op} properties.n`).join(", ")} from events where distinct_id = 'c'`,
  );
  // s is missing, n is "100": never NULL.
  expect(shown[0]).toEqual([
    false,
    false,
    true,
    true,
    ...Array(8).fill(false),
    false,
    false,
    true,
    true,
    false,
    false,
    true,
    true,
  ]);
  const both = await rows(
    `select ${operators.map((op) => `properties.s ${op} properties.t`).join(", ")} from events where distinct_id = 'c'`,
  );
  expect(both[0]).toEqual([true, false, false, false, false, false, true, false, true, false]);
});
