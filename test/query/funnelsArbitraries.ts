import fc from "fast-check";
import type { NaiveFunnel, NaiveFunnelStep, NaiveNode } from "./naive/funnels.ts";
import { HOGQL_VALUES } from "./naive/hogql.ts";
import type { Interval } from "./naive/periods.ts";
import {
  breakdown,
  DAYS,
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
  .tuple(fc.integer({ min: 9, max: 16 }), of(0, 0, 0, 0, 0, -1, 1), of(0, 0, 0, 0, 0, 0, 24, 48, -24))
  .map(([hour, ms, hours]) => (hour + hours) * HOUR_MS + ms);

/** What passes several random filters is mostly nothing. */
const rarely = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.oneof(
    { arbitrary: fc.constant<T[]>([]), weight: 9 },
    fc.tuple(one).map((list) => [...list]),
  );

const seldom = <T>(one: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T | null> =>
  fc.oneof({ arbitrary: fc.constant(null), weight }, one);

const event = fc.record({
  uuid: fc.uuid(),
  event: of("view", "buy", "view", "buy", "other"),
  distinctId: of("p1", "p1", "p1", "p2", "p3"),
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
const step = fc.tuple(node, rarely(filter)).map(([one, own]): NaiveFunnelStep => ({ ...one, properties: own }));

/** No step asks for the event alone. */
const exclusion = fc.record({
  kind: of("EventsNode" as const),
  event: of("other"),
  properties: rarely(filter),
  ends: fc.tuple(fc.nat(), fc.nat()),
});

export const askedFunnel = fc.record({
  events: fc.uniqueArray(event, { minLength: 6, maxLength: 26, size: "max", selector: ({ uuid }) => uuid }),
  persons,
  groups,
  types: fc.dictionary(of("k", "n"), of<"Boolean" | "Numeric">("Boolean", "Numeric"), { maxKeys: 1 }),
  steps: fc.oneof(
    { arbitrary: fc.array(step, { minLength: 2, maxLength: 4 }), weight: 12 },
    fc.tuple(step).map((list) => [...list]),
  ),
  firstTime: seldom(fc.tuple(fc.nat(), of("first_time_for_user", "first_time_for_user_with_filters")), 7),
  optional: seldom(fc.nat(), 3),
  exclusions: fc.oneof(
    fc.constant<(typeof exclusion extends fc.Arbitrary<infer T> ? T : never)[]>([]),
    fc.array(exclusion, { minLength: 1, maxLength: 2 }),
  ),
  shape: of<NaiveFunnel["funnelsFilter"]["funnelVizType"]>("steps", "steps", "trends", "time_to_convert"),
  order: of<NaiveFunnel["funnelsFilter"]["funnelOrderType"]>("ordered", "ordered", "strict", "unordered"),
  window: of<[number, NaiveFunnel["funnelsFilter"]["funnelWindowIntervalUnit"]]>(
    [1, "hour"],
    [3_600, "second"],
    [120, "minute"],
    [1, "day"],
    [1, "week"],
    [1, "month"],
    [2, "hour"],
    [5, "hour"],
    [14, "day"],
  ),
  range: fc.tuple(fc.nat(), fc.nat(), fc.boolean(), fc.boolean()),
  attribution: of("first_touch" as const, "last_touch" as const, "all_events" as const, "step" as const),
  attributionStep: fc.nat(),
  bins: seldom(of(1, 2, 3, 7, 500), 1),
  interval: of<Interval>("hour", "day", "day", "day", "week", "month"),
  startDay: of(...DAYS),
  length: fc.integer({ min: 0, max: 5 }),
  form: of("absolute", "days", "weeks", "default", "instants"),
  properties: rarely(filter),
  testAccountFilters: rarely(filter),
  filterTestAccounts: fc.boolean(),
  groupIndex: seldom(of(0), 7),
  aggregate: seldom(of("properties.$session_id", "person_id", [...HOGQL_VALUES.keys()][1]!), 5),
  breakdown: seldom(breakdown, 2),
  compare: seldom(of({ compare: true }, { compare: true, compare_to: "-1w" }), 3),
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
