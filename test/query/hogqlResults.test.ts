import { afterAll, expect, test } from "bun:test";
import { MemoryLake } from "../support/memoryLake.ts";
import { openScene, START } from "./hogqlScene.ts";
import { emptyLake, hogql, TEXT_LIMITS } from "./support.ts";

const { lake } = await openScene();
afterAll(() => lake.close());

test("columns and types", async () => {
  const response = await hogql(
    lake,
    "select event, properties.n, count() as n, avg(1), uniq(uuid), max(timestamp), toDate(any(timestamp)), groupArray(event), null, true from events group by event, properties.n",
    { timezone: "Europe/Paris" },
  );
  expect(response.columns).toEqual([
    "event",
    "n",
    "n",
    "avg(1)",
    "uniq(uuid)",
    "max(timestamp)",
    "toDate(any(timestamp))",
    "groupArray(event)",
    "NULL",
    "true",
  ]);
  expect(response.types.map(([, type]) => type)).toEqual([
    "String",
    "Nullable(String)",
    "UInt64",
    "Nullable(Float64)",
    "UInt64",
    "Nullable(DateTime64(6, 'Europe/Paris'))",
    "Nullable(Date)",
    "Array(String)",
    "Nullable(Nothing)",
    "Bool",
  ]);
});

test("all columns of events", async () => {
  const response = await hogql(lake, "select * from events order by timestamp limit 1");
  expect(response.columns).toEqual([
    "uuid",
    "event",
    "properties",
    "timestamp",
    "distinct_id",
    "elements_chain",
    "created_at",
    "person_id",
    "person_mode",
  ]);
});

test("the clicked elements and the person mode of an event", async () => {
  const of = (elementsChain: string, personMode: number) => ({
    event: "$autocapture",
    distinctId: "a",
    timestampMs: START,
    elementsChain,
    personMode,
  });
  const clicks = await MemoryLake.open([of('a.link:href="/x"', 0), of("", 1)]);
  const response = await hogql(clicks, "select elements_chain, person_mode from events order by person_mode");
  expect(response.results).toEqual([
    ['a.link:href="/x"', "full"],
    ["", "propertyless"],
  ]);
  const where = "elements_chain like '%href%' and person_mode = 'full'";
  expect((await hogql(clicks, `select count() from events where ${where}`)).results).toEqual([[1]]);
});

test("limits: 100 where none is asked, the maximum where more, and whether there are more", async () => {
  const numbers = (query: string, maxRows = 50_000) =>
    hogql(lake, query, { limits: { timeoutMs: 60_000, maxRows, text: TEXT_LIMITS } });
  const none = await numbers("select number from numbers(150)");
  expect([none.results.length, none.limit, none.offset, none.hasMore]).toEqual([100, 100, 0, true]);
  const all = await numbers("select number from numbers(100)");
  expect([all.results.length, all.hasMore]).toEqual([100, false]);
  const clamped = await numbers("select number from numbers(150) limit 200", 50);
  expect([clamped.results.length, clamped.limit, clamped.hasMore]).toEqual([50, 50, true]);
  const page = await numbers("select number from numbers(20) limit 5 offset 17");
  expect([page.results, page.offset, page.hasMore]).toEqual([[[17], [18], [19]], 17, false]);
  const union = await numbers("select number from numbers(150) union all select number from numbers(150)");
  expect(union.results.length).toBe(200);
});

test("the printed query", async () => {
  const printed = async (query: string) => (await hogql(emptyLake, query)).hogql;
  expect(await printed("select event from events union all select event from events")).toBe(
    "SELECT event FROM events LIMIT 100 UNION ALL SELECT event FROM events LIMIT 100",
  );
  expect(
    await printed(
      "select count() as n, properties.`a b` from events e where event = 'it''s' and not 2 > 1 or 1 group by 2 order by n desc limit 3",
    ),
  ).toBe(
    "SELECT count() AS n, properties.`a b` FROM events AS e WHERE or(and(equals(event, 'it\\'s'), not(greater(2, 1))), 1) GROUP BY 2 ORDER BY n DESC LIMIT 3",
  );
});

test("explain shows the statement and what it reads, without running anything else", async () => {
  const query = "select count() from events where event = 'secret' and timestamp >= '2020-01-01'";
  const plain = await hogql(lake, query);
  expect(plain.explain).toBeUndefined();
  expect(plain.timings.map((step) => step.k)).toEqual(["parse", "compile", "query"]);
  const { explain, results } = await hogql(lake, query, {}, { explain: true });
  expect(results).toEqual(plain.results);
  expect(explain?.[0]).toBe("Reads 1 files with events from 2020-01-01T00:00:00.000Z to any time.");
  expect(explain).toContain('$1 = "secret"');
  expect(explain?.at(-1)).toContain("FROM activity AS t0 WHERE");
});

test("the query as it was understood is one that gives the same", async () => {
  const queries = [
    "select event, row_number() over (partition by event order by timestamp desc rows between 1 preceding and current row) as r from events order by timestamp",
    "select arrayMap((x, y) -> x + y, [1], [2])[1:1], sumIf(1, 1) filter (where 1), (1, 'a').2 from events",
    "with t as (select 1 as a) select a from t union all select 2 except select 3",
    "select event, count() from events group by rollup(event) having count() > 0 order by 1 limit 5 offset 1",
    "select x from (select 1 as a) array join [1, 2] as x order by x desc limit 1 by a",
    "select a from (values (1), (2)) as v(a) where a between 1 and 2 and a not in (3) qualify rank() over w = 1 window w as (order by a)",
  ];
  for (const query of queries) {
    const first = await hogql(lake, query);
    const second = await hogql(lake, first.hogql);
    const inAnyOrder = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(inAnyOrder(second.results)).toEqual(inAnyOrder(first.results));
    expect(second.hogql).toBe(first.hogql);
  }
});
