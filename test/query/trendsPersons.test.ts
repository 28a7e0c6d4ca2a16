import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "../../src/types/mod.ts";
import { NOW, openPersonsScene } from "./personsScene.ts";
import { hogql, trends } from "./support.ts";

const { lake, total } = await openPersonsScene();
afterAll(() => lake.close());

describe("trends", () => {
  const dau = { kind: "EventsNode", math: "dau" };
  const person = (key: string, operator: string, value: Json = null) => ({ type: "person", key, operator, value });
  const group = (index: number, key: string, operator: string, value: Json) => ({
    ...person(key, operator, value),
    type: "group",
    group_type_index: index,
  });

  test("count a person once, whatever its ids", async () => {
    expect(await total({ series: [dau] })).toBe(3);
    expect(await total({ series: [dau] }, { aggregateByDistinctId: true })).toBe(4);
    const cumulative = { display: "ActionsLineGraphCumulative" };
    const { results } = await trends(lake, { series: [dau], trendsFilter: cumulative }, { nowMs: NOW });
    expect(results[0]!.count).toBe(3);
  });

  test.each<[Json, number]>([
    [[person("email", "exact", "ann@a.com")], 2],
    [[person("email", "is_not", "ann@a.com")], 4],
    [[person("email", "icontains", "@")], 5],
    [[person("email", "is_not_set")], 1],
    [[person("nothing", "is_set")], 0],
    [[person("age", "gt", 10)], 2],
    [[person("age", "lt", 10)], 3],
    [[person("distinct_id", "exact", ["anon", "ghost"])], 2],
    [[group(0, "industry", "exact", "steel")], 2],
    [[group(0, "industry", "is_not", "steel")], 4],
    [[group(1, "industry", "exact", ["glass", "steel"])], 1],
    [[person("email", "exact", "bob@b.com"), group(1, "industry", "exact", "glass")], 1],
    [{ type: "OR", values: [person("age", "gt", 10), group(1, "industry", "exact", "glass")] }, 3],
  ])("filtered by %j", async (properties, expected) => {
    expect(await total({ properties })).toBe(expected);
    expect(await total({ series: [{ kind: "EventsNode", properties }] })).toBe(expected);
    const testAccounts = await total({ filterTestAccounts: true }, { testAccountFilters: properties });
    expect(testAccounts).toBe(expected);
    const filters = { properties };
    const found = await hogql(lake, "select count() from events where {filters}", { nowMs: NOW }, { filters });
    expect(found.results).toEqual([[expected]]);
  });

  test("a filter of one series is none of another's", async () => {
    const { results } = await trends(
      lake,
      {
        series: [
          { ...dau, properties: [person("email", "exact", "ann@a.com")] },
          { kind: "EventsNode", properties: [group(0, "industry", "exact", "steel")] },
          { kind: "EventsNode" },
        ],
      } as { [key: string]: Json },
      { nowMs: NOW },
    );
    expect(results.map((item) => item.count)).toEqual([1, 2, 6]);
  });
});
