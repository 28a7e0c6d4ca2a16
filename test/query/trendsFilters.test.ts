import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { trends } from "./support.ts";
import { NOW, node, openTrendsScene } from "./trendsScene.ts";

const { lake, ask } = await openTrendsScene();
afterAll(() => lake.close());

describe("property filters", () => {
  const s = (operator: string, value: Json = null) => ({ key: "s", type: "event", operator, value });
  const v = (operator: string, value: Json = null) => ({ key: "v", type: "event", operator, value });
  // Values of s: "x", "y", null, ""; of v: 1, 2, "3", "no number".
  test.each<[string, Json, number]>([
    ["none", [], 4],
    ["an empty group", { type: "AND", values: [] }, 4],
    ["an empty OR group", { type: "OR", values: [] }, 4],
    ["nothing in a filter", [{}], 4],
    ["no value", [s("exact")], 4],
    ["an empty list", [s("exact", [])], 4],
    ["type empty", [{ type: "empty" }], 4],
    ["exact", [s("exact", "x")], 1],
    ["exact without operator and type", [{ key: "s", value: "x" }], 1],
    ["exact of a list", [s("exact", ["x", "y"])], 2],
    ["exact of an empty text", [s("exact", "")], 1],
    ["exact of a number", [v("exact", 3)], 1],
    ["exact of a number as text", [v("exact", "1")], 1],
    ["exact of a mixed list", [v("exact", [1, "2"])], 2],
    ["in", [s("in", ["x"])], 1],
    ["is_not passes what is missing", [s("is_not", "x")], 3],
    ["is_not of a list", [s("is_not", ["x", "y"])], 2],
    ["is_not of a number", [v("is_not", 1)], 3],
    ["not_in", [s("not_in", ["x", ""])], 2],
    ["gt", [v("gt", 1)], 2],
    ["gte", [v("gte", "2")], 2],
    ["lt", [v("lt", 2)], 1],
    ["lte", [v("lte", 2)], 2],
    ["min", [v("min", 2)], 2],
    ["between", [v("between", [1, 2])], 2],
    ["not_between", [v("not_between", [1, 2])], 1],
    ["is_set counts the empty text", [s("is_set")], 3],
    ["is_not_set", [s("is_not_set")], 1],
    ["icontains", [s("icontains", "X")], 1],
    ["icontains of a list", [s("icontains", ["X", "Y"])], 2],
    ["icontains keeps the user's wildcards", [s("icontains", "%")], 3],
    ["not_icontains", [s("not_icontains", "X")], 3],
    ["regex", [s("regex", "^[xy]$")], 2],
    ["not_regex", [s("not_regex", "^[xy]$")], 2],
    ["two filters", [s("is_set"), v("gt", 1)], 1],
    ["OR", { type: "OR", values: [s("exact", "x"), s("exact", "y")] }, 2],
    [
      "groups in groups",
      { type: "AND", values: [{ type: "OR", values: [s("exact", "x"), v("gt", 2)] }, v("lt", 3)] },
      1,
    ],
  ])("%s", async (_, properties, count) => {
    const ofQuery = await ask({ series: [node("sign up")], properties });
    expect(ofQuery.results[0]!.count).toBe(count);
    // Beside another series the same filter stands in FILTER, not in WHERE.
    const ofSeries = await ask({ series: [node("sign up", { properties }), node("other")] });
    expect(ofSeries.results.map((item) => item.count)).toEqual([count, 1]);
  });

  test("of the environment's test accounts", async () => {
    const context = { nowMs: NOW, testAccountFilters: [{ key: "s", operator: "is_not", value: "x" }] };
    const query = { series: [node("sign up")], dateRange: { date_from: "-3d" } };
    expect((await trends(lake, { ...query, filterTestAccounts: true }, context)).results[0]!.count).toBe(3);
    expect((await trends(lake, query, context)).results[0]!.count).toBe(4);
  });
});
