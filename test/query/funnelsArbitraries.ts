import fc from "fast-check";
import type { NaiveFunnel, NaiveFunnelStep, NaiveNode } from "./naive/funnels.ts";
import { HOGQL_VALUES } from "./naive/hogql.ts";
import type { Interval } from "./naive/periods.ts";
import {
  breakdown,
  DAYS,
  few,
  filter,
  groups,
  HOUR_MS,
  of,
  persons,
  properties,
  sometimes,
  ZONES,
} from "./trendsArbitraries.ts";

// Random small worlds, in which many events are at one instant, and random FunnelsQueries over them.

/** Few times, so that many events tie, and some a millisecond off the edges of windows. */
const offset = fc
  .tuple(fc.integer({ min: 8, max: 20 }), of(0, 0, 0, 0, -1, 1), of(0, 0, 0, 24, 48, -24, 240))
  .map(([hour, ms, hours]) => (hour + hours) * HOUR_MS + ms);

const event = fc.record({
  uuid: fc.uuid(),
  event: of("view", "buy", "view", "buy", "other"),
  distinctId: of("p1", "p1", "p2", "p3"),
  offsetMs: offset,
  properties,
  groups: fc.dictionary(of("$group_0"), of("g1", "g2", "")),
  session: sometimes(of("s1", "s2")),
});

const plain = of<NaiveNode>(
  { kind: "EventsNode", event: "view", properties: [] },
  { kind: "EventsNode", event: "buy", properties: [] },
);
const rare = of<NaiveNode>(
  { kind: "EventsNode", event: null, properties: [] },
  { kind: "ActionsNode", id: 7, properties: [] },
  {
    kind: "GroupNode",
    operator: "OR",
    nodes: [
      { kind: "EventsNode", event: "buy", properties: [] },
      { kind: "EventsNode", event: "view", properties: [{ key: "k", operator: "is_set" }] },
    ],
    properties: [],
  },
);
const node = fc.oneof({ arbitrary: plain, weight: 5 }, { arbitrary: rare, weight: 1 });
const step = fc
  .tuple(
    node,
    few(
      few(filter, 1)
        .map((own) => own[0])
        .filter((own) => own !== undefined),
      1,
    ),
    fc.boolean(),
  )
  .map(([one, own, isFiltered]): NaiveFunnelStep => ({ ...one, properties: isFiltered ? own : [] }));

/** No step asks for the event alone. */
const exclusion = fc.record({
  kind: of("EventsNode" as const),
  event: of("other"),
  properties: few(filter, 1),
  ends: fc.tuple(fc.nat(), fc.nat()),
});

export const askedFunnel = fc.record({
  events: fc.array(event, { maxLength: 14, size: "max" }),
  persons,
  groups,
  types: fc.dictionary(of("k", "n"), of<"Boolean" | "Numeric">("Boolean", "Numeric"), { maxKeys: 1 }),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  firstTime: fc.option(fc.tuple(fc.nat(), of("first_time_for_user", "first_time_for_user_with_filters")), {
    nil: null,
    freq: 6,
  }),
  optional: fc.option(fc.nat(), { nil: null, freq: 3 }),
  exclusions: few(exclusion, 2),
  shape: of<NaiveFunnel["funnelsFilter"]["funnelVizType"]>("steps", "steps", "trends", "time_to_convert"),
  order: of<NaiveFunnel["funnelsFilter"]["funnelOrderType"]>("ordered", "ordered", "strict"),
  window: of<[number, NaiveFunnel["funnelsFilter"]["funnelWindowIntervalUnit"]]>(
    [1, "hour"],
    [3_600, "second"],
    [120, "minute"],
    [1, "day"],
    [1, "week"],
    [1, "month"],
    [14, "day"],
  ),
  range: fc.tuple(fc.nat(), fc.nat(), fc.boolean(), fc.boolean()),
  attribution: of("first_touch" as const, "last_touch" as const, "all_events" as const, "step" as const),
  attributionStep: fc.nat(),
  bins: fc.option(of(1, 2, 3, 7, 500), { nil: null, freq: 1 }),
  interval: of<Interval>("hour", "day", "day", "day", "week", "month"),
  startDay: of(...DAYS),
  length: fc.integer({ min: 0, max: 12 }),
  form: of("absolute", "days", "weeks", "default", "instants"),
  properties: few(filter, 1),
  testAccountFilters: few(filter, 1),
  filterTestAccounts: fc.boolean(),
  groupIndex: fc.option(of(0), { nil: null, freq: 5 }),
  aggregate: fc.option(of("properties.$session_id", "person_id", [...HOGQL_VALUES.keys()][1]!), { nil: null, freq: 3 }),
  breakdown: fc.option(breakdown, { nil: null, freq: 1 }),
  compare: fc.option(of({ compare: true }, { compare: true, compare_to: "-1w" }), { nil: null, freq: 3 }),
  timezone: of(...ZONES),
  weekStartDay: of<0 | 1>(0, 1),
  byDistinctId: fc.boolean(),
});
export type AskedFunnel = typeof askedFunnel extends fc.Arbitrary<infer T> ? T : never;

/** A query that no check refuses. */
export function funnelOf(given: AskedFunnel, dateRange: NaiveFunnel["dateRange"]): NaiveFunnel {
  const { order, shape, exclusions } = given;
  const last = given.steps.length - 1;
  const isAnyExcluded = exclusions.length > 0 && last > 0;
  const series = given.steps.map((one, i): NaiveFunnelStep => {
    const next = given.steps[i + 1];
    const isOptional =
      shape === "steps" && order !== "unordered" && given.optional !== null && i === 1 + (given.optional % 3);
    return {
      ...one,
      ...(given.firstTime !== null && given.firstTime[0] % (last + 1) === i && { math: given.firstTime[1] }),
      ...(isOptional && (next === undefined || !sameEntity(one, next)) && { optionalInFunnel: true }),
    };
  });
  const from = last === 0 ? null : given.range[0] % last;
  const to = last === 0 ? null : (from ?? 0) + 1 + (given.range[1] % (last - (from ?? 0)));
  const ranged = exclusions.map(({ ends: [first, length], ...one }) => {
    const start = order === "unordered" ? 0 : first % last;
    const end = order === "unordered" ? last : start + 1 + (length % (last - start));
    return { ...one, funnelFromStep: start, funnelToStep: end };
  });
  return {
    series,
    interval: given.interval,
    dateRange,
    properties: given.properties,
    filterTestAccounts: given.filterTestAccounts,
    aggregation_group_type_index: given.groupIndex,
    compareFilter: given.compare,
    breakdownFilter: given.breakdown,
    funnelsFilter: {
      funnelVizType: shape,
      funnelOrderType: order,
      funnelWindowInterval: given.window[0],
      funnelWindowIntervalUnit: given.window[1],
      funnelFromStep: given.range[2] ? from : null,
      funnelToStep: given.range[3] ? to : null,
      exclusions: isAnyExcluded ? ranged : [],
      breakdownAttributionType: given.attribution,
      breakdownAttributionValue: order === "unordered" ? 0 : given.attributionStep % (last + 1),
      funnelAggregateByHogQL: given.aggregate,
      binCount: given.bins,
    },
  };
}

const sameEntity = (a: NaiveNode, b: NaiveNode): boolean =>
  JSON.stringify({ ...a, properties: [] }) === JSON.stringify({ ...b, properties: [] });
