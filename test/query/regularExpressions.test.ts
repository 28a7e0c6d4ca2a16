import { afterAll, describe, expect, test } from "bun:test";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { contextOf, failure, NO_STEP } from "./support.ts";

const lake = await MemoryLake.open([
  { event: "view", distinctId: "a", timestampMs: Date.parse("2023-12-31T00:00:00Z"), properties: { k: "v" } },
]);
afterAll(async () => {
  closeParser();
  await lake.close();
});

const action = {
  id: 7,
  name: "wrong",
  steps: [{ ...NO_STEP, event: "view", url: "(", urlMatching: "regex" as const }],
};
const context = contextOf(lake, {
  testAccountFilters: [{ key: "k", operator: "not_regex", value: "[a", type: "event" }] as Json,
  pathCleaningFilters: [
    { regex: "a", alias: "b" },
    { regex: "a**", alias: "b" },
  ] as Json,
  records: { ...contextOf(lake).records, action: (id) => (id === 7 ? action : null) },
});
const refused = (node: JsonObject) => failure(runQuery(node, context));

const trend = (value: Json, more: JsonObject = {}): JsonObject => ({
  kind: "TrendsQuery",
  series: [
    { kind: "EventsNode", event: "view" },
    { kind: "EventsNode", event: "view", properties: [{ key: "k", operator: "regex", value, type: "event" }] },
  ],
  ...more,
});

describe("a wrong regular expression", () => {
  test.each([
    ["(a", "a ( is not closed"],
    ["a)", "a ) closes nothing"],
    ["[a", "a [ is not closed"],
    ["a\\", "nothing is behind the last backslash"],
    ["*a", "* has nothing to repeat"],
    ["a**", "** repeats a repetition"],
    ["a{1001}", "{1001} is not a possible number of repetitions (1000 at most in all)"],
    ["(?=a)", "(?= is not known; there is no looking ahead or behind"],
    ["\\q", "\\q is no escape"],
    ["[z-a]", "z-a is no range of characters"],
    ["[[:x:]]", "[:x:] is no range of characters"],
    ["(?P<a", "(?P<a names no group"],
  ])("%s in a filter is said in words, with its place", async (value, problem) => {
    expect(await refused(trend(value))).toMatchObject({
      code: "invalid_query",
      message: `series.1.properties.0.value: is not a regular expression (RE2): ${problem}`,
    });
  });

  test.each<[JsonObject, string]>([
    [trend(["v", "("]), "series.1.properties.0.value"],
    [trend("v", { filterTestAccounts: true }), "test_account_filters.0.value"],
    [{ kind: "PathsQuery", pathsFilter: { pathReplacements: true } }, "path_cleaning_filters.1.regex"],
    [
      { kind: "PathsQuery", pathsFilter: { localPathCleaningFilters: [{ regex: "v" }, { regex: "(" }] } },
      "pathsFilter.localPathCleaningFilters.1.regex",
    ],
    [
      { kind: "ActorsQuery", source: { kind: "InsightActorsQuery", series: 1, source: trend("(") } },
      "source.source.series.1.properties.0.value",
    ],
    [
      { kind: "EventsQuery", select: ["event"], properties: [{ key: "k", operator: "regex", value: "(" }] },
      "properties.0.value",
    ],
  ])("%j is at its place", async (node, place) => {
    const { code, message } = await refused(node);
    expect(code).toBe("invalid_query");
    expect(message).toStartWith(`${place}: is not a regular expression (RE2): `);
  });

  test.each([
    ["match(properties.k, '(')", "'('"],
    ["properties.k =~ '('", "'('"],
    ["replaceRegexpAll('x', 'x', 'y') = 'y' AND extract(properties.k, '(') = ''", "'('"],
    ["multiMatchAny(properties.k, ['a', '('])", "'('"],
  ])("%s is at its place in the text", async (expression, literal) => {
    const query = `SELECT event FROM events WHERE ${expression}`;
    const { code, message, start } = await refused({ kind: "HogQLQuery", query });
    expect([code, message]).toEqual(["invalid_hogql", "This is not a regular expression (RE2): a ( is not closed"]);
    expect(start).toBe(query.lastIndexOf(literal));
  });

  test("of an action has no place in the node", async () => {
    const node = { kind: "TrendsQuery", series: [{ kind: "ActionsNode", id: 7 }] };
    expect(await refused(node)).toMatchObject({
      code: "invalid_query",
      message: "A regular expression is wrong (RE2): a ( is not closed",
    });
  });
});

test("other errors of a statement stay what they are", async () => {
  const { code } = await refused({ kind: "HogQLQuery", query: "SELECT throwIf(true)" });
  expect(code).not.toBe("invalid_query");
});
