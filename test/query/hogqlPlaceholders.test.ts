import { afterAll, expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { FIRST_UUID, NOW, openScene } from "./hogqlScene.ts";
import { failure, hogql } from "./support.ts";

const { lake } = await openScene();
afterAll(() => lake.close());

const ask = async (query: string, more: { [key: string]: Json } = {}) =>
  (await hogql(lake, query, { nowMs: NOW }, more)).results;
const message = async (query: string, more: { [key: string]: Json } = {}) =>
  (await failure(hogql(lake, query, { nowMs: NOW }, more))).message;

const JANUARY = { date_from: "2020-01-01", date_to: "2020-02-01" };

test("{filters} are properties and dates, and all rows where there are none", async () => {
  const filters = { properties: [{ key: "s", value: "x", type: "event" }], dateRange: JANUARY };
  expect(await ask("select distinct_id from events where {filters}", { filters })).toEqual([["a"]]);
  expect(lake.lastRange).toEqual({ fromMs: Date.parse("2020-01-01"), toMs: Date.parse("2020-02-01") });
  expect(await ask("select count() from events where {filters}")).toEqual([[4]]);
  const byHogql = { properties: [{ type: "hogql", key: "lower(event) = 'view'" }] };
  expect(await ask("select count() from events where {filters}", { filters: byHogql })).toEqual([[2]]);
});

test("{filters} of sessions and groups bound their own times", async () => {
  const filters = { dateRange: JANUARY };
  expect(await ask("select count() from sessions where {filters}", { filters })).toEqual([[0]]);
  expect(await ask("select count() from groups where {filters}", { filters })).toEqual([[0]]);
  const properties = [{ type: "session", key: "$pageview_count", operator: "gt", value: 1 }];
  expect(await ask("select count() from sessions where {filters}", { filters: { properties } })).toEqual([[0]]);
  expect(
    await message("select count() from sessions where {filters}", {
      filters: { properties: [{ key: "s", value: "x" }] },
    }),
  ).toBe("Can only use session properties in a filter when selecting from only the sessions table.");
  expect(await message("select count() from persons where {filters}", { filters })).toBe(
    "Cannot use 'filters' placeholder in a SELECT clause that does not select from the events, sessions, logs, traces or groups table.",
  );
});

test("one end of the dates stands alone; a comparison with one that is not set holds", async () => {
  const query =
    "select count() from events where timestamp >= {filters.dateRange.from} and timestamp < {filters.dateRange.to}";
  expect(await ask(query, { filters: { dateRange: { date_from: "2020-01-11", date_to: "2020-02-01" } } })).toEqual([
    [1],
  ]);
  expect(await ask(query, { filters: { dateRange: { date_from: "2020-01-11" } } })).toEqual([[2]]);
  expect(lake.lastRange).toEqual({ fromMs: Date.parse("2020-01-11"), toMs: null });
  expect(await ask(query)).toEqual([[4]]);
  expect(await ask("select count() from events where not timestamp > toDateTime({filters.dateRange.from})")).toEqual([
    [0],
  ]);
  expect(await message("select toDate({filters.dateRange.to})")).toBe(
    "The `{filters.dateRange.to}` placeholder must be used directly in a comparison (e.g. `timestamp > {filters.dateRange.to}`), not nested inside a function call, when the date range is not set.",
  );
  expect(await message("select {filters.properties}")).toBe(
    "Unsupported filters placeholder `{filters.properties}`. Supported filters placeholders are: `{filters}`, `{filters.dateRange.from}`, `{filters.dateRange.to}`.",
  );
});

test("variables have a value, a default or none", async () => {
  const variable = (more: { [key: string]: Json }): { [key: string]: Json } => ({
    variables: { 1: { variableId: "1", code_name: "v", ...more } },
  });
  expect(await ask("select {variables.v}", variable({ value: 3 }))).toEqual([[3]]);
  expect(await ask("select {variables.v}", variable({ value: null, default_value: "d" }))).toEqual([["d"]]);
  expect(await ask("select {variables.v}", variable({ value: 3, isNull: true }))).toEqual([[null]]);
  expect(await ask("select 2 in {variables.v}", variable({ value: [1, 2] }))).toEqual([[true]]);
  expect(await ask("select number from numbers(9) limit {variables.v}", variable({ value: 1 }))).toEqual([[0]]);
  expect(await message("select {variables.w}", variable({ value: 1 }))).toBe(
    "Variable w is missing from query. Did you mean: v?",
  );
  expect(await message("select {variables.country}", variable({ value: 1 }))).toBe(
    "Variable country is missing from query",
  );
});

test("values stand where they are named, as values", async () => {
  expect(await ask("select {who}, 'a' in {list}", { values: { who: "x' or 1", list: ["a"] } })).toEqual([
    ["x' or 1", true],
  ]);
  expect(await message("select {nope}")).toBe("Unresolved placeholder: {nope}");
  expect(await message("select {who}", { values: { who: {} } })).toBe(
    "The value of {who} must be a string, a number, a boolean, null or a list of them.",
  );
  expect(await message("select {filters}", { values: { filters: 1 }, filters: {} })).toBe(
    "Query contains 'filters' both as placeholder and as a query parameter.",
  );
});

test("a long list says the same as a short one, everywhere, written out or as a value", async () => {
  const places = [
    "select count() from events where L",
    "select count() from events where not (L)",
    "select countIf(L), countIf(not L) from events",
    "select distinct_id, L as is_in from events order by distinct_id",
    "select count() from events where L or distinct_id = 'a'",
    "select count() from events e join events f on e.distinct_id = f.distinct_id where e.L",
    "select arrayFilter(v -> v IN, ['x', 'z']) from events limit 1",
  ];
  const lists: [string, string[]][] = [
    ["uuid", [FIRST_UUID.toUpperCase(), "no uuid"]],
    ["distinct_id", ["b", "nobody"]],
    ["properties.s", ["x"]],
  ];
  for (const [of, list] of lists) {
    const long = [...list, ...Array.from({ length: 300 }, (_, i) => `other ${i}`)];
    for (const operator of ["in", "not in"]) {
      for (const place of places) {
        const asked = (members: string) =>
          place
            .replaceAll("e.L", `e.${of} ${operator} ${members}`)
            .replaceAll("IN", `${operator} ${members}`)
            .replaceAll("L", `${of} ${operator} ${members}`);
        const expected = await ask(asked("{few}"), { values: { few: list } });
        expect(await ask(asked("{many}"), { values: { many: long } })).toEqual(expected);
        expect(await ask(asked(`(${long.map((text) => `'${text}'`).join(", ")})`))).toEqual(expected);
      }
    }
  }
});
