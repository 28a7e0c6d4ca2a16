import { expect, test } from "bun:test";
import { nodeOfLegacy, runQuery } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { contextOf, emptyLake } from "../query/support.ts";

const PRO = { key: "plan", value: ["pro"], type: "event" };

test.each<[JsonObject, JsonObject]>([
  [
    {
      insight: "TRENDS",
      date_from: "-7d",
      interval: "week",
      events: [
        { id: "b", order: 1, math: "dau", custom_name: "B", type: "events" },
        { id: null, order: 0, properties: [PRO] },
        "not one",
      ],
      filter_test_accounts: true,
      properties: [PRO],
      display: "ActionsBar",
      smoothing_intervals: 2,
      compare: true,
    },
    {
      kind: "TrendsQuery",
      series: [
        { kind: "EventsNode", event: null, properties: [PRO] },
        { kind: "EventsNode", event: "b", math: "dau", custom_name: "B" },
      ],
      dateRange: { date_from: "-7d" },
      interval: "week",
      filterTestAccounts: true,
      properties: { type: "AND", values: [{ type: "AND", values: [PRO] }] },
      trendsFilter: { display: "ActionsBar", smoothingIntervals: 2 },
      compareFilter: { compare: true },
    },
  ],
  [
    { events: '[{"id": "a"}]', breakdown: "plan", breakdown_type: "events", properties: { plan: "pro", n__gt: 5 } },
    {
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: "a" }],
      breakdownFilter: { breakdown: "plan", breakdown_type: "event" },
      properties: {
        type: "AND",
        values: [
          {
            type: "AND",
            values: [
              { key: "plan", operator: "exact", value: "pro", type: "event" },
              { key: "n", operator: "gt", value: 5, type: "event" },
            ],
          },
        ],
      },
    },
  ],
])("%j becomes a node that is answered", async (filters, source) => {
  const node = nodeOfLegacy(filters);
  expect(node).toEqual({ kind: "InsightVizNode", source });
  await runQuery(node, contextOf(emptyLake));
});

test("actions stand before events of the same order, those without an id nowhere", () => {
  const filters: JsonObject = {
    insight: "SESSIONS",
    events: [{ id: "e", order: 1 }],
    actions: [{ id: "7", order: 1 }, { id: null }],
  };
  expect(nodeOfLegacy(filters)).toMatchObject({
    source: {
      series: [
        { kind: "ActionsNode", id: 7 },
        { kind: "EventsNode", event: "e" },
      ],
    },
  });
});

test.each<JsonObject>([{}, { insight: "UNHEARD", events: [{ id: "a" }] }])("%j is none", (filters) => {
  expect(nodeOfLegacy(filters)).toBeNull();
});
