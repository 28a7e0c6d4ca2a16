import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkFunnel } from "../../src/query/kinds/funnels/checks.ts";
import { readFunnels } from "../../src/query/kinds/funnels/node.ts";
import { readLifecycle } from "../../src/query/kinds/lifecycle/node.ts";
import { columnsOf as columnsOfAnswers } from "../../src/query/kinds/retention/axis.ts";
import { stepNumbers } from "../../src/web/app/charts/funnel/numbers.ts";
import { breakdownName } from "../../src/web/app/format/name.ts";
import { timesOf } from "../../src/web/app/kinds/funnels/answer.ts";
import { correlationLabel, readName } from "../../src/web/app/kinds/funnels/correlationDrill.ts";
import { type FunnelsNode, settled } from "../../src/web/app/kinds/funnels/node.ts";
import { type LifecycleNode, STATUSES, shownStatuses, withStatus } from "../../src/web/app/kinds/lifecycle/node.ts";
import { axisOf, openPlaces } from "../../src/web/app/kinds/parts/axis.ts";
import { labelOf } from "../../src/web/app/kinds/paths/answer.ts";
import { bracketsOf } from "../../src/web/app/kinds/retention/bracketTexts.ts";
import {
  columnLabels,
  columnsOf,
  entityNode,
  type RetentionEntity,
  retentionEntity,
} from "../../src/web/app/kinds/retention/node.ts";

const step = fc.integer({ min: -1, max: 7 });
const funnels = fc.record({
  steps: fc.integer({ min: 1, max: 5 }),
  optional: fc.array(fc.nat(5), { maxLength: 3 }),
  filter: fc.record(
    {
      funnelVizType: fc.constantFrom("steps", "time_to_convert", "trends"),
      funnelOrderType: fc.constantFrom("ordered", "strict", "unordered"),
      funnelFromStep: fc.nat(6),
      funnelToStep: fc.integer({ min: 1, max: 7 }),
      exclusions: fc.array(fc.tuple(fc.nat(6), step), { maxLength: 3 }),
      breakdownAttributionType: fc.constant("step"),
      breakdownAttributionValue: fc.nat(6),
    },
    { requiredKeys: ["breakdownAttributionValue"] },
  ),
});

function funnelOf({ steps, optional, filter }: typeof funnels extends fc.Arbitrary<infer T> ? T : never): FunnelsNode {
  const series = Array.from({ length: steps }, (_, i) => ({
    kind: "EventsNode" as const,
    event: `e${i}`,
    ...(optional.includes(i) && { optionalInFunnel: true }),
  }));
  const exclusions = filter.exclusions?.map(([funnelFromStep, funnelToStep]) => {
    return { kind: "EventsNode" as const, event: "left out", funnelFromStep, funnelToStep };
  });
  return { kind: "FunnelsQuery", series, funnelsFilter: { ...filter, exclusions } as FunnelsNode["funnelsFilter"] };
}

describe("a funnel whose steps were changed", () => {
  test("is one that can be asked", () => {
    fc.assert(
      fc.property(funnels, (given) => {
        const node = settled(funnelOf(given));
        checkFunnel(readFunnels(JSON.parse(JSON.stringify(node))));
        expect(node.series.map(({ event }) => event)).toEqual(funnelOf(given).series.map(({ event }) => event));
        expect(settled(node)).toEqual(node);
      }),
    );
  });
});

test("columns of retention are those of answers", () => {
  fc.assert(
    fc.property(
      fc.option(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 6 }), { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 52 }), { nil: undefined }),
      (retentionCustomBrackets, totalIntervals) => {
        const retentionFilter = { retentionCustomBrackets, totalIntervals };
        const expected = columnsOfAnswers(retentionFilter).map(({ from, to }) => ({ from, to }));
        const node = { kind: "RetentionQuery" as const, retentionFilter };
        expect(columnsOf(node)).toEqual(expected);
        expect(columnLabels(node).slice(1)).toEqual(columnsOfAnswers(retentionFilter).map(({ label }) => label));
      },
    ),
  );
});

test("an entity of retention is the same after a picker", () => {
  const entities: RetentionEntity[] = [
    { id: null, type: "events" },
    { id: "buy", type: "events", custom_name: "Bought" },
    { id: 7, type: "actions", name: "Clicked", properties: [{ type: "event", key: "k", operator: "is_set" }] },
  ];
  for (const entity of entities) expect(retentionEntity(entityNode(entity))).toEqual(entity);
  expect(entityNode(undefined)).toEqual({ kind: "EventsNode", event: "$pageview" });
});

test("brackets are what of a text are numbers", () => {
  expect(bracketsOf("1, 3;7 x -2 0 1.5 20000")).toEqual([1, 3, 7]);
  expect(bracketsOf("")).toEqual([]);
});

test("statuses are seen or not, in their order", () => {
  const all: LifecycleNode = { kind: "LifecycleQuery", series: [{ kind: "EventsNode", event: null }] };
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...STATUSES), fc.boolean())), (changes) => {
      const node = changes.reduce((one, [status, isOn]) => withStatus(one, status, isOn), all);
      const hidden = new Map(changes).entries().filter(([, isOn]) => !isOn);
      const names = new Set(hidden.map(([status]) => status));
      expect([...shownStatuses(node)]).toEqual(STATUSES.filter((status) => !names.has(status)));
      readLifecycle(JSON.parse(JSON.stringify(node)));
    }),
  );
});

test("steps of paths are shown by their path or their name", () => {
  expect(labelOf("https://a.example/docs?x=1#y", false)).toBe("/docs?x=1#y");
  expect(labelOf("https://a.example", false)).toBe("/");
  expect(labelOf("https://a.example/docs", true)).toBe("https://a.example/docs");
  expect(labelOf("javascript:alert(1)", false)).toBe("javascript:alert(1)");
  expect(labelOf("$pageview", false)).toBe("Page view");
  expect(labelOf("", false)).toBe("(none)");
});

test("names of what goes with converting are read in their parts", () => {
  expect(readName("a::b", { type: "events" })).toEqual({ event: "a::b", key: "", value: "" });
  expect(readName("a::b::c::d", { type: "event_with_properties", event: "a::b" })).toEqual({
    event: "a::b",
    key: "c",
    value: "d",
  });
  expect(readName("role::a::b", { type: "properties" })).toEqual({ event: null, key: "role", value: "a::b" });
  expect(correlationLabel("$browser::Safari", { type: "properties" })).toBe("Browser = Safari");
});

test("values of a breakdown are shown as text", () => {
  expect([["a", ""], ["$$_posthog_breakdown_other_$$"], "[1,2.5]", null, 3].map(breakdownName)).toEqual([
    "a · (empty)",
    "Other",
    "1 to 2.5",
    "",
    "3",
  ]);
});

test("the last bin of a time to convert is left out where nobody is in it", () => {
  const answer = (bins: [number, number][]) =>
    ({ results: { bins, average_conversion_time: 4 } }) as unknown as Parameters<typeof timesOf>[0];
  expect(
    timesOf(
      answer([
        [0, 2],
        [5, 0],
      ]),
    )[0]!.bins,
  ).toEqual([{ fromS: 0, toS: 5, count: 2 }]);
  expect(
    timesOf(
      answer([
        [0, 2],
        [5, 1],
      ]),
    )[0]!.bins.at(-1),
  ).toEqual({ fromS: 5, toS: 10, count: 1 });
  expect(timesOf(answer([]))[0]!.bins).toEqual([]);
});

test("places of an axis are days of the project, whatever the zone of the browser", () => {
  expect(axisOf(["2026-11-20", "2026-11-21"], "day")).toEqual(["20 Nov", "21 Nov"]);
  expect(axisOf(["2026-11-01T00:00:00+01:00"], "day", "Europe/Berlin")).toEqual(["1 Nov"]);
  expect(axisOf(["no day"], "day")).toEqual(["no day"]);
});

test("places of an axis are open while they, and the time to convert, last", () => {
  const days = ["2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"];
  const answer = (date_to: string, last_refresh: string) =>
    ({ resolved_date_range: { date_to }, last_refresh, timezone: "Europe/Berlin" }) as unknown as Parameters<
      typeof openPlaces
    >[1];
  const today = answer("2026-11-23T23:59:59+01:00", "2026-11-23T15:00:00Z");
  expect(openPlaces(days, today)).toBe(1);
  expect(openPlaces(days, today, 86_400_000)).toBe(2);
  expect(openPlaces(days, today, 30 * 86_400_000)).toBe(4);
  expect(openPlaces(days, answer("2026-11-23T23:59:59+01:00", "2026-11-23T23:30:00Z"))).toBe(0);
  // It is tomorrow in Berlin already.
  expect(openPlaces(days, answer("2026-11-23T23:59:59+01:00", "2026-11-22T23:30:00Z"))).toBe(1);
});

test("a step behind an optional one is compared with the required one before", () => {
  const step = (count: number, before?: number) => ({
    label: "",
    before,
    groups: [{ label: "", color: 0, count, medianS: null, averageS: null }],
  });
  const steps = [step(100), step(20, 0), step(50, 0)];
  expect(stepNumbers(steps, 2, 0)).toEqual({ count: 50, dropped: 50, fromFirst: 0.5, fromBefore: 0.5 });
  expect(stepNumbers([step(100), step(80), step(20)], 2, 0).dropped).toBe(60);
});
