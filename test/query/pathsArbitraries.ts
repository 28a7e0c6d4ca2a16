import fc from "fast-check";
import type { NaiveFunnel, NaiveFunnelStep, NaiveNode } from "./naive/funnels.ts";
import { HOGQL_VALUES } from "./naive/hogql.ts";
import type { NaivePaths } from "./naive/paths.ts";
import type { NaiveFilter } from "./naive/world.ts";
import { DAY_MS, few, filter, groups, of, persons, properties } from "./trendsArbitraries.ts";

// Random worlds of few actors who go to few places at few times, and random PathsQueries over them.

const MINUTE_MS = 60_000;

/** Many at the same instant, many half an hour after others, give or take a millisecond; some on another day. */
const offset = fc
  .tuple(fc.integer({ min: 0, max: 30 }), of(0, 0, 0, -1, 1), of(0, 0, 0, 0, -1, 1, 3))
  .map(([steps, ms, days]) => 10 * 3_600_000 + steps * 10 * MINUTE_MS + ms + days * DAY_MS);

const place = of<unknown>("/", "/a", "/a/", "/b", "/b?id=1", "/b?id=2", "//", "", "%_\\", null, 5);
const event = fc.record({
  uuid: fc.uuid(),
  event: of("$pageview", "$pageview", "$pageview", "$screen", "view", "buy", "$hidden"),
  distinctId: of("p1", "p1", "p2", "p3"),
  offsetMs: offset,
  properties: fc
    .tuple(properties, fc.record({ $current_url: place, $screen_name: place }, { requiredKeys: [] }))
    .map(([some, more]) => ({ ...some, ...more })),
  groups: fc.dictionary(of("$group_0", "$group_2"), of("g1", "g2", ""), { maxKeys: 2 }),
});

const types = of("$pageview", "$screen", "custom_event", "hogql");
const item = of("/", "/a", "/a/", "/b", "view", "buy", "5", "/*", "b?*", "$pageview");
const wildcard = of("/*", "/b*", "*id=*", "/a", "v*w", "%", "_", "\\", "*", "buy");
const rule = fc.oneof(
  fc.record(
    { regex: of("id=\\d", "\\?.*$", "^/(\\w)", "[ab]", "^view$"), alias: of("", "X", "/a") },
    { requiredKeys: ["regex"] },
  ),
  fc.record({ regex: of("^/(\\w)"), alias: of("/\\1/", "\\1") }),
);
const rules = few(rule, 2);

const pathsFilter: fc.Arbitrary<NaivePaths["pathsFilter"]> = fc
  .record({
    includeEventTypes: fc.uniqueArray(types, { maxLength: 3 }),
    pathsHogQLExpression: of(...HOGQL_VALUES.keys()),
    startPoint: item,
    endPoint: item,
    pathGroupings: fc.array(wildcard, { maxLength: 2 }),
    excludeEvents: fc.array(fc.oneof(item, types), { maxLength: 2 }),
    stepLimit: of(1, 2, 3, 4, 5, 6, 20),
    edgeLimit: of(1, 2, 3, 5, 100),
    minEdgeWeight: of(0, 1, 2),
    maxEdgeWeight: of(0, 1, 2, 3),
    pathReplacements: fc.boolean(),
    localPathCleaningFilters: rules,
  })
  .chain((all) =>
    // Few options at once: many together leave nothing.
    fc
      .subarray(Object.keys(all), { maxLength: 4 })
      .map((names) => Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)))),
  );

const step = of<NaiveNode>(
  { kind: "EventsNode", event: "view", properties: [] },
  { kind: "EventsNode", event: "buy", properties: [] },
  { kind: "EventsNode", event: "$pageview", properties: [] },
  { kind: "EventsNode", event: null, properties: [] },
);

/** The step is brought into the funnel by `funnelPathsOf`. */
const funnel = fc.record({
  steps: fc.array(step, { minLength: 2, maxLength: 4 }),
  optional: of(null, null, 1, 2),
  exclusion: of(false, false, true),
  order: of<NaiveFunnel["funnelsFilter"]["funnelOrderType"]>("ordered", "ordered", "strict", "unordered"),
  window: of<[number, NaiveFunnel["funnelsFilter"]["funnelWindowIntervalUnit"]]>(
    [10, "minute"],
    [1, "hour"],
    [3, "hour"],
    [1_800, "second"],
    [1, "day"],
    [14, "day"],
    [1, "month"],
  ),
  range: of<NaiveFunnel["dateRange"]>({}, {}, { date_from: "-1d" }, { date_from: "2020-03-07", date_to: "2020-03-07" }),
  properties: fc.oneof({ arbitrary: fc.constant<NaiveFilter[]>([]), weight: 4 }, few(filter, 1)),
  filterTestAccounts: of(false, false, true),
  type: of<"before_step" | "between_steps" | "after_step">("before_step", "between_steps", "after_step"),
  step: fc.nat(),
  isDropOff: of(false, false, true),
});

export const asked = fc.record({
  events: fc.uniqueArray(event, { minLength: 12, maxLength: 60, size: "max", selector: ({ uuid }) => uuid }),
  persons,
  groups,
  types: fc.dictionary(of("$current_url", "$screen_name", "k"), of<"Boolean" | "Numeric">("Boolean", "Numeric"), {
    maxKeys: 1,
  }),
  pathsFilter,
  funnel: fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, { arbitrary: funnel, weight: 2 }),
  teamRules: rules,
  range: of<NaivePaths["dateRange"]>(
    {},
    {},
    {},
    {},
    { date_from: "all" },
    { date_from: "-2d" },
    { date_from: "-9h" },
    { date_from: "-1d", date_to: "-1d" },
    { date_from: "2020-03-07", date_to: "2020-03-07" },
    { date_from: "2020-03-07T11:00:00Z", date_to: "2020-03-08" },
    { date_from: "2020-03-09", date_to: "2020-03-07" },
  ),
  properties: fc.oneof({ arbitrary: fc.constant<NaiveFilter[]>([]), weight: 4 }, few(filter, 1)),
  testAccountFilters: few(filter, 1),
  filterTestAccounts: of(false, false, true),
  groupIndex: of<number | null>(null, null, null, null, null, 0, 2),
  timezone: of("UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"),
  byDistinctId: of(false, false, true),
});
export type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

/** The funnel of a case, in which no check refuses anything. */
export function funnelPathsOf({ funnel: given, groupIndex }: Asked): NaivePaths["funnelPathsFilter"] {
  if (given === null) return null;
  const { order, steps, type, isDropOff } = given;
  const last = steps.length - 1;
  const names = steps.map(({ kind, ...one }) => ("event" in one ? one.event : kind));
  const series = steps.map((one, i): NaiveFunnelStep => {
    const isOptional = order !== "unordered" && i === given.optional && (i === last || names[i] !== names[i + 1]);
    return { ...one, ...(isOptional && { optionalInFunnel: true }) };
  });
  const isExcluding = given.exclusion && !names.includes(null) && !names.includes("buy");
  // Between steps there is one before.
  const lowest = (type === "between_steps" ? 1 : 0) + (isDropOff ? 1 : 0);
  let step = lowest + (given.step % (last + 1));
  if (step > last) step = last;
  const isAnyBefore =
    !isDropOff || type !== "between_steps" || series.slice(1, step).some((one) => !one.optionalInFunnel);
  return {
    funnelPathType: `funnel_path_${isAnyBefore ? type : "before_step"}`,
    funnelStep: isDropOff && step > 0 ? -(step + 1) : step + 1,
    funnelSource: {
      series,
      interval: "day",
      dateRange: given.range,
      properties: given.properties,
      filterTestAccounts: given.filterTestAccounts,
      aggregation_group_type_index: groupIndex,
      compareFilter: null,
      breakdownFilter: null,
      funnelsFilter: {
        funnelVizType: "steps",
        funnelOrderType: order,
        funnelWindowInterval: given.window[0],
        funnelWindowIntervalUnit: given.window[1],
        exclusions: isExcluding
          ? [{ kind: "EventsNode", event: "buy", properties: [], funnelFromStep: 0, funnelToStep: last }]
          : [],
        breakdownAttributionType: "first_touch",
        funnelAggregateByHogQL: null,
      },
    },
  };
}

/** Mostly of persons, and often of names of events alone, as files are asked for them in several ways. */
export const askedOfFiles = fc
  .tuple(asked, of("any", "persons", "persons", "names", "names"))
  .map(([given, kind]): Asked => {
    // The files have an event of long ago that the loops do not know of.
    const range = given.range.date_from === "all" ? {} : given.range;
    if (kind === "any") return { ...given, range };
    const ofPersons = { ...given, range, groupIndex: null, byDistinctId: false, funnel: null };
    if (kind === "persons") return ofPersons;
    const pathsFilter = { ...given.pathsFilter, includeEventTypes: ["custom_event"] };
    return { ...ofPersons, pathsFilter, properties: [], filterTestAccounts: false };
  });
