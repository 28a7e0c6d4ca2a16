import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { QueryNode } from "../../src/web/app/api/node.ts";
import { readNode } from "../../src/web/app/kinds/readNode.ts";
import { carryOver } from "../../src/web/app/pages/insight/carryOver.ts";
import { isSameNode, normalise, plainKey } from "../../src/web/app/pages/insight/sameNode.ts";
import { derivedName } from "../../src/web/app/pages/parts/insight/derivedName.ts";
import { readFragment, writeFragment } from "../../src/web/app/pages/parts/insight/fragment.ts";

// What the insight page makes of nodes: the address, "changed", names, and questions of another kind.

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const filter = fc.record(
  { key: text, type: fc.constantFrom("event", "person"), operator: fc.constantFrom("exact", "icontains"), value: text },
  { requiredKeys: ["key", "type"] },
);
const series = fc.record(
  {
    kind: fc.constant("EventsNode"),
    event: fc.option(text),
    math: fc.constantFrom("total", "dau", "sum"),
    properties: fc.array(filter, { maxLength: 2 }),
  },
  { requiredKeys: ["kind", "event"] },
);
const node = fc.record(
  {
    kind: fc.constant("TrendsQuery"),
    series: fc.array(series, { minLength: 1, maxLength: 3 }),
    interval: fc.constantFrom("hour", "day", "week"),
    dateRange: fc.record({ date_from: fc.constantFrom("-7d", "-30d", "all"), date_to: fc.option(fc.constant("-1d")) }),
    filterTestAccounts: fc.boolean(),
    trendsFilter: fc.record(
      {
        display: fc.constantFrom("ActionsLineGraph", "ActionsPie"),
        smoothingIntervals: fc.integer({ min: 1, max: 9 }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ["kind", "series"] },
) as fc.Arbitrary<QueryNode>;

/** The same members in another order, with members that say nothing between them. */
function disguised(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((item) => disguised(item, turn));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, one]) => [name, disguised(one, turn)] as const);
  const turned = turn % 2 === 0 ? entries.toReversed() : entries;
  return Object.fromEntries([...turned, ["zNothing", null], ["zEmpty", {}], ["zNone", []], ["zLost", undefined]]);
}

describe("two nodes are the same", () => {
  test("whatever the order of their members, their wrappers, and what says nothing", () => {
    fc.assert(
      fc.property(node, fc.nat(3), (one, turn) => {
        const other = disguised(one, turn) as QueryNode;
        expect(isSameNode(one, other)).toBe(true);
        expect(isSameNode(one, { kind: "InsightVizNode", source: other, full: true })).toBe(true);
      }),
    );
  });

  test("with what is meant by absence written out", () => {
    const plain: QueryNode = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "buy" }] };
    const written: QueryNode = {
      kind: "TrendsQuery",
      series: [{ kind: "EventsNode", event: "buy", name: "buy", math: "total", properties: [] }],
      interval: "day",
      filterTestAccounts: false,
      samplingFactor: 1,
      properties: [],
      compareFilter: { compare: false },
      trendsFilter: { display: "ActionsLineGraph", smoothingIntervals: 1 },
    };
    expect(isSameNode(plain, written)).toBe(true);
  });

  test("never where they ask something else", () => {
    fc.assert(
      fc.property(node, text, (one, name) => {
        const asked = one.series as { event: string | null }[];
        const other = { ...one, series: [...asked, { kind: "EventsNode", event: name }] };
        expect(isSameNode(one, other)).toBe(false);
        if (asked[0]!.event !== name) {
          const renamed = { ...one, series: [{ ...asked[0], event: name }, ...asked.slice(1)] };
          expect(isSameNode(one, renamed)).toBe(false);
        }
      }),
    );
  });

  test("and what is normal stays so", () => {
    fc.assert(
      fc.property(node, (one) => {
        expect(plainKey(normalise(one) as QueryNode)).toBe(plainKey(one));
      }),
    );
  });

  test("values of filters count, even empty and false ones in lists", () => {
    const of = (value: unknown): QueryNode => ({
      kind: "TrendsQuery",
      properties: [{ key: "a", type: "event", value }],
    });
    expect(isSameNode(of(["", "x"]), of(["x"]))).toBe(false);
    expect(isSameNode(of([false]), of([true]))).toBe(false);
    expect(isSameNode(of(0), of(1))).toBe(false);
  });
});

describe("the fragment of an address", () => {
  test("gives the question that it was made of", () => {
    fc.assert(
      fc.property(node, (one) => {
        expect(readFragment(writeFragment(one))).toEqual(readNode(JSON.parse(JSON.stringify(one))));
      }),
    );
  });

  test("is read plain, too, as people write it", () => {
    const one = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "50% & more" }] };
    expect(readFragment(`#q=${JSON.stringify(one)}`)).toEqual(one);
    expect(readFragment(`${writeFragment(one)}&sceneSource=web`)).toEqual(one);
  });

  test.each(["", "#", "#q=", "#q=%", "#q=null", "#q=[1]", '#q={"a":1}', "#q=%7B", "#other=1"])("%p is none", (hash) => {
    expect(readFragment(hash)).toBeNull();
  });
});

describe("a name", () => {
  test.each<[string, QueryNode]>([
    ["Page view count", { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "$pageview" }] }],
    [
      "Page view unique users & buy's price sum by Browser",
      {
        kind: "TrendsQuery",
        series: [
          { kind: "EventsNode", event: "$pageview", math: "dau" },
          { kind: "EventsNode", event: "buy", math: "sum", math_property: "price" },
        ],
        breakdownFilter: { breakdowns: [{ type: "event", property: "$browser" }] },
      },
    ],
    [
      "A/B on A. see count & B. All events count",
      {
        kind: "TrendsQuery",
        series: [
          { kind: "EventsNode", event: "see" },
          { kind: "EventsNode", event: null },
        ],
        trendsFilter: { formula: "A/B" },
      },
    ],
    [
      "see → buy user conversion",
      {
        kind: "InsightVizNode",
        source: {
          kind: "FunnelsQuery",
          series: [
            { kind: "EventsNode", event: "see" },
            { kind: "EventsNode", event: "buy" },
          ],
        },
      },
    ],
    [
      "User retention based on doing see and returning with the same event",
      { kind: "RetentionQuery", retentionFilter: { targetEntity: { id: "see" }, returningEntity: { id: "see" } } },
    ],
    ["User paths based on page views", { kind: "PathsQuery", pathsFilter: { includeEventTypes: ["$pageview"] } }],
  ])("%p", (name, one) => {
    expect(derivedName(one)).toBe(name);
  });
});

test("another kind takes over what both ask", () => {
  const from = {
    kind: "TrendsQuery",
    series: [
      { kind: "EventsNode", event: "see", math: "sum", math_property: "price", properties: [1] },
      { kind: "EventsNode", event: "buy" },
    ],
    dateRange: { date_from: "-90d" },
    interval: "week",
    filterTestAccounts: true,
    trendsFilter: { display: "ActionsPie" },
  };
  expect(carryOver(from, { kind: "LifecycleQuery", series: [], interval: "day" })).toEqual({
    kind: "LifecycleQuery",
    series: [{ kind: "EventsNode", event: "see", properties: [1] }],
    dateRange: { date_from: "-90d" },
    interval: "week",
    filterTestAccounts: true,
  });
  expect(carryOver(from, { kind: "RetentionQuery", retentionFilter: {} })).toEqual({
    kind: "RetentionQuery",
    retentionFilter: {},
    filterTestAccounts: true,
  });
});
