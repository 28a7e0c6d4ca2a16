import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeParser, type QueryContext } from "../../src/query/mod.ts";
import type { Json, PropertyType } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { NO_RECORDS } from "../support/noRecords.ts";
import { hogql, trends } from "./support.ts";

const NOW = Date.UTC(2020, 0, 10, 12);

/** The values of the property `v` that a filter lets pass, of a project with one event for each. */
async function passing(lake: MemoryLake, filter: Json, context: Partial<QueryContext> = {}): Promise<unknown> {
  const { results } = await trends(
    lake,
    {
      series: [{ kind: "EventsNode", event: "e" }],
      properties: [filter],
      breakdownFilter: { breakdown: "v", breakdown_type: "event" },
      trendsFilter: { display: "ActionsTable" },
    },
    { nowMs: NOW, ...context },
  );
  return results.map((item) => item.breakdown_value).sort();
}

async function lakeOf(values: readonly unknown[], more: { elementsChain?: string[] } = {}): Promise<MemoryLake> {
  return MemoryLake.open(
    values.map((v, i) => ({
      event: "e",
      distinctId: `d${i}`,
      timestampMs: NOW - 1000,
      properties: { v },
      ...(more.elementsChain && { elementsChain: more.elementsChain[i]! }),
    })),
  );
}

describe("versions", () => {
  let lake: MemoryLake;
  beforeAll(async () => {
    lake = await lakeOf([
      "1.2.3",
      "v1.2.10",
      "1.3.0",
      "2.0.0-beta",
      "0.2.3",
      "0.2.9",
      "0.3.0",
      "0.0.3",
      "0.0.4",
      "none",
    ]);
  });
  afterAll(() => lake.close());

  test.each<[string, string, string[]]>([
    ["semver_eq", "1.2.3", ["1.2.3"]],
    ["semver_gt", "1.2.3", ["1.3.0", "2.0.0-beta", "v1.2.10"]],
    ["semver_gte", "1.3.0", ["1.3.0", "2.0.0-beta"]],
    ["semver_lt", "0.2.3", ["0.0.3", "0.0.4"]],
    ["semver_lte", "0.0.3", ["0.0.3"]],
    ["semver_tilde", "1.2.3", ["1.2.3", "v1.2.10"]],
    ["semver_tilde", "1", ["1.2.3", "1.3.0", "v1.2.10"]],
    ["semver_caret", "1.2.3", ["1.2.3", "1.3.0", "v1.2.10"]],
    ["semver_caret", "0.2.3", ["0.2.3", "0.2.9"]],
    ["semver_caret", "0.0.3", ["0.0.3"]],
    ["semver_wildcard", "1.2.*", ["1.2.3", "v1.2.10"]],
    ["semver_wildcard", "0.*", ["0.0.3", "0.0.4", "0.2.3", "0.2.9", "0.3.0"]],
  ])("%s %s", async (operator, value, expected) => {
    expect(await passing(lake, { key: "v", operator, value })).toEqual(expected);
  });

  test("semver_neq passes what is no version", async () => {
    expect(await passing(lake, { key: "v", operator: "semver_neq", value: "1.2.3" })).toHaveLength(9);
  });
});

test("dates are read with an offset, as local time, and as seconds", async () => {
  const lake = await lakeOf([
    "2020-01-05T00:00:00Z",
    "2020-01-05T02:00:00+03:00",
    "2020-01-05 00:30:00",
    "1578182400",
    "soon",
  ]);
  const context = { timezone: "America/New_York" };
  const at = (operator: string, value: string) => passing(lake, { key: "v", operator, value }, context);
  expect(await at("is_date_before", "2020-01-05T00:00:00Z")).toEqual(["2020-01-05T02:00:00+03:00"]);
  expect(await at("is_date_exact", "2020-01-05T00:00:00Z")).toEqual(["1578182400", "2020-01-05T00:00:00Z"]);
  expect(await at("is_date_after", "2020-01-05T00:00:00Z")).toEqual(["2020-01-05 00:30:00"]);
  expect(await at("is_date_after", "-6d")).toEqual(
    ["2020-01-05 00:30:00", "2020-01-05T00:00:00Z", "1578182400", "2020-01-05T02:00:00+03:00"].sort(),
  );
  await lake.close();
});

test("paths are compared as the environment's rules leave them", async () => {
  const lake = await lakeOf(["/users/1/edit", "/users/22/edit", "/users/edit"]);
  const pathCleaningFilters = [{ regex: "/\\d+", alias: "/<id>" }];
  const filter = { key: "v", operator: "is_cleaned_path_exact", value: "/users/7/edit" };
  expect(await passing(lake, filter, { pathCleaningFilters })).toEqual(["/users/1/edit", "/users/22/edit"]);
  expect(await passing(lake, filter)).toEqual([]);
  const breakdownFilter = { breakdown: "v", breakdown_path_cleaning: true };
  const query = { series: [{ kind: "EventsNode", event: "e" }], breakdownFilter };
  const { results } = await trends(lake, query, { nowMs: NOW, pathCleaningFilters });
  expect(results.map((item) => [item.breakdown_value, item.count])).toEqual([
    ["/users/<id>/edit", 2],
    ["/users/edit", 1],
  ]);
  await lake.close();
});

test("what was clicked: selector, tag, link and text", async () => {
  const chain = (text: string, href: string) =>
    `a.nav:attr__href="${href}"href="${href}"nth-child="1"text="${text}";div.menu:nth-child="2"`;
  const lake = await lakeOf(["home", "buy", "none"], {
    elementsChain: [chain("Home", "/"), chain("Buy now", "/buy"), ""],
  });
  const element = (key: string, operator: string, value: Json) =>
    passing(lake, { type: "element", key, operator, value });
  expect(await element("tag_name", "exact", "a")).toEqual(["buy", "home"]);
  expect(await element("tag_name", "is_not", ["a"])).toEqual(["none"]);
  expect(await element("selector", "exact", ".menu > a.nav")).toEqual(["buy", "home"]);
  expect(await element("href", "icontains", "buy")).toEqual(["buy"]);
  expect(await element("text", "exact", ["Home", "x"])).toEqual(["home"]);
  expect(await element("text", "icontains", "now")).toEqual(["buy"]);
  await lake.close();
});

test("of lists some element must meet a filter, and none a negative one", async () => {
  const lake = await MemoryLake.open(
    [["TypeError", "Error"], ["KeyError"], "TypeError", null].map((types, i) => ({
      event: "e",
      distinctId: "d",
      timestampMs: NOW - 1000,
      properties: { v: String(i), $exception_types: types },
    })),
  );
  const of = (operator: string, value: Json) => passing(lake, { key: "$exception_types", operator, value });
  expect(await of("exact", "TypeError")).toEqual(["0", "2"]);
  expect(await of("is_not", "TypeError")).toEqual(["1", "3"]);
  expect(await of("icontains", "key")).toEqual(["1"]);
  expect(await of("is_not_set", null)).toEqual(["3"]);
  await lake.close();
});

test.each<[PropertyType, unknown[], number]>([
  ["Numeric", [7, "8.5", "n/a", "", null], 2],
  ["Duration", [7, "n/a"], 1],
  ["Boolean", [true, "false", "n/a"], 2],
  ["DateTime", ["2020-01-05", "n/a"], 1],
  ["String", ["x", "n/a", null], 2],
])("what is not %s is not set, for filters of events and persons and for HogQL", async (type, values, set) => {
  const records = { ...NO_RECORDS, propertyType: () => type };
  const lake = await lakeOf(values);
  await lake.addPersons(values.map((v, i) => ({ distinctIds: [`d${i}`], properties: { v } })));
  const counted = async (filter: Json) => {
    const query = { series: [{ kind: "EventsNode", event: "e" }], properties: [filter] };
    return (await trends(lake, query, { nowMs: NOW, records })).results[0]!.count!;
  };
  for (const owner of ["event", "person"]) {
    expect(await counted({ key: "v", type: owner, operator: "is_set" })).toBe(set);
    expect(await counted({ key: "v", type: owner, operator: "is_not_set" })).toBe(values.length - set);
  }
  const isSet = "select countIf(isNotNull(properties.v)), countIf(isNull(person.properties.v)) from events";
  expect((await hogql(lake, isSet, { records })).results).toEqual([[set, values.length - set]]);
  await lake.close();
});

test("HogQL and flags filter, too", async () => {
  const lake = await MemoryLake.open(
    ["a", "b"].map((v) => ({
      event: "e",
      distinctId: v,
      timestampMs: NOW - 1000,
      properties: { v, "$feature/beta": v === "a" },
    })),
  );
  expect(await passing(lake, { type: "hogql", key: "properties.v = 'a' or distinct_id = 'c'" })).toEqual(["a"]);
  expect(await passing(lake, { type: "feature", key: "beta", value: "true" })).toEqual(["a"]);
  await lake.close();
  closeParser();
});
