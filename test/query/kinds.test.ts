import { describe, expect, test } from "bun:test";
import { ANSWERED, overridden, ParsedQuery, runQuery, SAVED } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import { contextOf, emptyLake, failure } from "./support.ts";

const LATER = SAVED.filter((kind) => !ANSWERED.some(({ name }) => name === kind.name)).map(({ name }) => name);

test("each kind has a name of its own", () => {
  expect(new Set(SAVED.map(({ name }) => name)).size).toBe(SAVED.length);
});

test.each(LATER)("%s can be saved, and is refused by name", async (kind) => {
  const { code, message } = await failure(runQuery({ kind }, contextOf(emptyLake)));
  expect([code, message]).toEqual(["invalid_query", `kind: ${kind} is not supported yet`]);
  expect(new ParsedQuery({ kind }).basis(contextOf(emptyLake))).toBeNull();
});

/** The smallest node of each kind that is answered. */
const SMALLEST: Record<string, JsonObject> = {
  TrendsQuery: { series: [{ kind: "EventsNode" }] },
  RetentionQuery: { retentionFilter: {} },
  StickinessQuery: { series: [{ kind: "EventsNode" }] },
  LifecycleQuery: { series: [{ kind: "EventsNode" }] },
  FunnelsQuery: { series: [{ kind: "EventsNode" }, { kind: "EventsNode", event: "buy" }] },
  HogQLQuery: { query: "SELECT 1" },
  EventsQuery: { select: ["event"] },
  PathsQuery: {},
  FunnelCorrelationQuery: {
    funnelCorrelationType: "events",
    source: { kind: "FunnelsActorsQuery", source: { kind: "FunnelsQuery", series: [{ kind: "EventsNode" }] } },
  },
  ActorsQuery: {},
  InsightActorsQueryOptions: {
    source: { kind: "InsightActorsQuery", source: { kind: "TrendsQuery", series: [{ kind: "EventsNode" }] } },
  },
};

test.each(ANSWERED)("$name takes what a dashboard and `weir explain` add to a node", (kind) => {
  const smallest = SMALLEST[kind.name];
  if (smallest === undefined) throw new Error(`write down the smallest node of ${kind.name}`);
  const filters = {
    date_from: "-30d",
    date_to: "-1d",
    properties: [{ key: "plan", value: "pro", type: "event", operator: "exact" }],
    breakdown_filter: { breakdown: "$browser", breakdown_type: "event" },
  };
  const node = kind.override({ kind: kind.name, ...smallest }, { filters, variables: {} });
  expect(kind.read({ ...node, explain: true }).explain).toBe(true);
});

describe("the filters of a dashboard", () => {
  const filters = {
    date_from: "-30d",
    properties: [{ key: "plan", value: "pro" }],
    breakdown_filter: { breakdown: "$browser" },
  };
  const over = (source: JsonObject) => overridden(source, { filters, variables: {} });

  test.each(["TrendsQuery", "FunnelsQuery", "RetentionQuery"])("reach %s with their breakdown", (kind) => {
    expect(over({ kind })).toEqual({
      kind,
      dateRange: { date_from: "-30d", date_to: null },
      properties: filters.properties,
      breakdownFilter: filters.breakdown_filter,
    });
  });

  test.each(["PathsQuery", "StickinessQuery", "LifecycleQuery"])("reach %s, which has no breakdown", (kind) => {
    expect(over({ kind }).dateRange).toBeDefined();
    expect(over({ kind }).breakdownFilter).toBeUndefined();
  });

  test.each(["EventsQuery", "ActorsQuery", "Unheard"])("leave %s as it is, also inside of what shows it", (kind) => {
    const node = { kind: "DataTableNode", source: { kind } };
    expect(over(node)).toBe(node);
  });
});
