import { describe, expect, test } from "bun:test";
import { ANSWERED, runQuery } from "../../src/query/mod.ts";
import type { Json } from "../../src/types/mod.ts";
import { contextOf, emptyLake, failure, trends } from "./support.ts";
import { node } from "./trendsScene.ts";

const KINDS = ANSWERED.map(({ name }) => name).join(", ");

describe("what is not supported is refused by name", () => {
  const series = [node("sign up")];
  test.each<[{ [key: string]: Json }, string]>([
    [{ series, interval: "fortnight" }, 'interval: the interval "fortnight" is not supported yet'],
    [
      { series, trendsFilter: { display: "BoxPlot" } },
      'trendsFilter.display: the display "BoxPlot" is not supported yet',
    ],
    [{ series, trendsFilter: { formula: "A + B" } }, "trendsFilter.formula: there is no series B"],
    [{ series, trendsFilter: { formula: "A + (" } }, "trendsFilter.formula: unexpected the end at character 6"],
    [{ series, trendsFilter: { formulas: ["A", "A ^ 2"] } }, 'trendsFilter.formulas.1: unexpected "^" at character 3'],
    [
      { series, trendsFilter: { smoothingIntervals: 0 } },
      "trendsFilter.smoothingIntervals: Expected integer to be greater or equal to 1, not 0",
    ],
    [
      { series, breakdownFilter: { breakdown: "x", breakdown_type: "data_warehouse" } },
      'breakdownFilter: a breakdown of type "data_warehouse" is not supported yet',
    ],
    [
      { series, breakdownFilter: { breakdown: [7], breakdown_type: "cohort" } },
      "breakdownFilter.breakdown: there is no cohort 7",
    ],
    [
      { series, breakdownFilter: { breakdown: "x", breakdown_type: "recording" } },
      'breakdownFilter.type: a property of type "recording" is not supported yet',
    ],
    [
      { series, compareFilter: { compare: true, compare_to: "soon" } },
      'compareFilter.compare_to: must be like -1w, not "soon"',
    ],
    [{ series, samplingFactor: 2 }, "samplingFactor: Expected number to be less or equal to 1, not 2"],
    [{ series: [node("e", { math: "hogql" })] }, 'series.0.math_hogql: the math "hogql" needs an expression'],
    [
      { series: [node("e", { math: "hogql", math_hogql: "event" })] },
      "series.0.math_hogql: must be an aggregate, like count()",
    ],
    [{ series: [node("e", { math: "unique_group" })] }, "series.0.math_group_type_index: must be 0 to 4, not nothing"],
    [{ series: [node("e", { math: "exotic" })] }, 'series.0.math: the math "exotic" is not supported yet'],
    [
      {
        series: [node("e", { math: "sum", math_property: "p", math_property_revenue_currency: { static: "EUR" } })],
      },
      "series.0.math_property_revenue_currency: converting currencies is not supported yet",
    ],
    [{ series: [node("e", { math: "sum" })] }, 'series.0.math_property: the math "sum" needs a property'],
    [{ series: [{ kind: "DataWarehouseNode", id: 1 }] }, "series.0.kind: DataWarehouseNode is not supported yet"],
    [{ series, properties: [{ key: "x", type: "session", value: "y" }] }, 'properties.0.key: sessions have no "x"'],
    [
      { series, properties: [{ key: "x", type: "recording", value: "y" }] },
      'properties.0.type: a property of type "recording" is not supported yet',
    ],
    [{ series, properties: [{ key: "id", type: "cohort", value: 7 }] }, "properties.0.value: there is no cohort 7"],
    [
      { series, properties: [{ key: "x", type: "group", value: "y" }] },
      "properties.0.group_type_index: must be 0 to 4, not null",
    ],
    [
      { series, properties: [{ key: "x", type: "group", group_type_index: 5, value: "y" }] },
      "properties.0.group_type_index: must be 0 to 4, not 5",
    ],
    [
      { series, properties: [{ key: "x", operator: "flag_evaluates_to", value: "1" }] },
      'properties.0.operator: the operator "flag_evaluates_to" is not supported yet',
    ],
    [
      { series, properties: [{ key: "x", operator: "semver_eq", value: "new" }] },
      'properties.0.value: "new" is not a version',
    ],
    [
      { series, properties: [{ key: "x", operator: "is_date_after", value: "soon" }] },
      'properties.0.value: "soon" is not a date',
    ],
    [
      { series, properties: [{ key: "x", operator: "in", value: "y" }] },
      'properties.0.value: must be a list for the operator "in"',
    ],
    [
      { series, properties: [{ key: "x", operator: "between", value: [2, 1] }] },
      "properties.0.value: between needs two numbers, the smaller first",
    ],
    [
      { series, properties: [{ key: "x", value: { a: 1 } }] },
      'properties.0.value: must be a string, a number or a list, not {"a":1}',
    ],
    [{ series, properties: "x" }, 'properties: a filter must be an object, not "x"'],
    [{ series, properties: { type: "AND", values: {} } }, "properties.values: must be a list, not {}"],
    [{ series: "x" }, 'series: Expected array, not "x"'],
    [{ series: [{ kind: "EventsNode", event: 1 }] }, "series.0.event: Expected string, not 1"],
    [{ series: [{ kind: "EventsNode", evnt: "e" }] }, "series.0.evnt: unknown field"],
    [{ series, intervall: "day" }, "intervall: unknown field"],
    [{}, "series: Expected required property, not nothing"],
  ])("%j", async (query, message) => {
    const error = await failure(trends(emptyLake, query));
    expect([error.code, error.message]).toEqual(["invalid_query", message]);
  });

  test.each<[Json, string]>([
    [null, "query: must be an object"],
    [[], "query: must be an object"],
    [{}, `kind: is missing; it is one of ${KINDS}`],
    [{ kind: "Nope" }, `kind: unknown kind "Nope"; it is one of ${KINDS}`],
    [{ kind: "FunnelsQuery" }, "kind: FunnelsQuery is not supported yet"],
    [{ kind: "InsightVizNode" }, "source: must be an object"],
    [{ kind: "HogQLQuery" }, "query: Expected required property, not nothing"],
  ])("%j", async (query, message) => {
    expect((await failure(runQuery(query, contextOf(emptyLake)))).message).toBe(message);
  });
});
