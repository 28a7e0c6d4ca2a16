import fc from "fast-check";
import { HOGQL_CONDITIONS, HOGQL_MATHS, HOGQL_VALUES } from "./naive/hogql.ts";
import type { NaiveSeries } from "./naive/math.ts";
import type { Interval } from "./naive/periods.ts";
import type { NaiveFormula, NaiveQuery } from "./naive/trends.ts";
import type { NaiveFilter } from "./naive/world.ts";

// Random worlds, and random TrendsQueries over them.

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const ZONES = [
  "UTC",
  "America/New_York",
  "Asia/Kolkata",
  "Pacific/Apia",
  "Australia/Lord_Howe",
  "America/Sao_Paulo",
  "Europe/London",
];
/** Days around changes of the clock, leap days and ends of years. */
export const DAYS = [
  "2011-12-29",
  "2018-11-03",
  "2018-02-17",
  "2020-03-07",
  "2020-10-03",
  "2020-10-31",
  "2019-12-30",
  "2020-02-27",
];

export const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
export const sometimes = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(one, { nil: null, freq: 2 });

/** Mostly none: what passes several random filters is mostly nothing. */
export const few = <T>(one: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
  fc.oneof({ arbitrary: fc.constant<T[]>([]), weight: 2 }, fc.array(one, { minLength: 1, maxLength }));

const value = fc.oneof(
  of<unknown>(
    "a",
    "b",
    "Ab",
    "",
    "1",
    "2.5",
    "true",
    "x%y",
    "v1.10.2",
    "1.9",
    "2020-03-07T10:00:00Z",
    "http://a.b/?#/",
  ),
  of<unknown>(0, 1, 2, 2.5, -3, 10),
  of<unknown>(true, false, null, { k: 1 }),
);
export const properties = fc.dictionary(of("k", "n", "a/b~c"), value, { maxKeys: 3 });
const numbers = fc.dictionary(of("n", "m"), of<unknown>(1, 2, 2.5, 4, -3, "7"), { maxKeys: 2 });

const hours = (from: number, to: number) => fc.integer({ min: from, max: to }).map((count) => count * HOUR_MS);
/** Many on the edges of hours and days, some in the minutes of the shortest ranges, few far away. */
const offset = fc.oneof(
  { arbitrary: hours(-48, 240), weight: 3 },
  { arbitrary: hours(-48, 240).map((ms) => ms - 1), weight: 2 },
  { arbitrary: fc.integer({ min: -2 * DAY_MS, max: 10 * DAY_MS }), weight: 2 },
  { arbitrary: fc.integer({ min: 650, max: 690 }).map((minutes) => minutes * 60_000), weight: 2 },
  { arbitrary: hours(-40 * 24, 30 * 24), weight: 1 },
);

const event = fc.record({
  uuid: fc.uuid(),
  event: of("view", "buy", "other"),
  distinctId: of("p1", "p2", "p3", "p4"),
  offsetMs: offset,
  properties: fc.tuple(properties, numbers).map(([some, more]) => ({ ...some, ...more })),
  groups: fc.dictionary(of("$group_0", "$group_2"), of("g1", "g2", "g3", "")),
  session: sometimes(of("s1", "s2")),
});

/** Some of those who sent events, each in at most one person, whose first id is itself among them. */
export const persons = fc
  .record({
    parts: of<string[][]>([], [["p1"]], [["p1", "p2"], ["p3"]], [["p3", "p1", "p4"]], [["p2", "p9"], ["p4"]]),
    properties: fc.array(properties, { minLength: 2, maxLength: 2 }),
  })
  .map(({ parts, properties }) => parts.map((distinctIds, i) => ({ distinctIds, properties: properties[i]! })));
export const groups = fc.uniqueArray(fc.record({ index: of<0 | 2>(0, 2), key: of("g1", "g2"), properties }), {
  selector: ({ index, key }) => `${index} ${key}`,
});

const scalar = of<string | number>("a", "b", "1", "2.5", "true", 1, 2.5, 0);
const subject = of<Partial<Extract<NaiveFilter, { key: string }>>>(
  {},
  {},
  { type: "event" },
  { type: "person" },
  { type: "person" },
  { type: "group", group_type_index: 0 },
  { type: "group", group_type_index: 2 },
);
const test = fc.oneof(
  fc.record({
    operator: of("exact", "is_not"),
    value: fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 })),
  }),
  fc.record({ operator: of("in", "not_in"), value: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ operator: of("gt", "gte", "lt", "lte"), value: of<unknown>(1, "2", 2.5, -5) }),
  fc.record({ operator: of("between", "not_between"), value: of<unknown>([1, 2], ["-3", 2.5]) }),
  fc.record({ operator: of("is_set", "is_not_set"), value: of<unknown>(null, "is_set") }),
  fc.record({ operator: of("icontains", "not_icontains"), value: of<unknown>("a", "1", ["B", "x%"]) }),
  fc.record({ operator: of("regex", "not_regex"), value: of<unknown>("^[ab]$", ["1", "^$"]) }),
  fc.record({
    operator: of("semver_eq", "semver_neq", "semver_gt", "semver_lte", "semver_tilde", "semver_caret"),
    value: of("1.9", "1.10.2", "1.10"),
  }),
  fc.record({
    operator: of("is_date_before", "is_date_after", "is_date_exact"),
    value: of("2020-03-07T10:00:00Z", "2019-01-01T00:00:00Z", "-48h"),
  }),
);
const plainFilter = fc
  .tuple(of("k", "n", "a/b~c", "missing"), test, subject)
  .map(([key, rest, of]): NaiveFilter => ({ key, ...rest, ...of }));
const special: fc.Arbitrary<NaiveFilter> = fc.oneof(
  fc.record({ type: of<"cohort">("cohort"), key: of("id"), value: of(1, 2), operator: of("in", "not_in") }),
  fc.record({
    type: of<"event_metadata">("event_metadata"),
    key: of("event", "distinct_id"),
    operator: of("exact", "is_not"),
    value: of("view", "p1"),
  }),
  fc.record({
    type: of<"session">("session"),
    key: of("$session_duration"),
    operator: of("gt", "lte"),
    value: of(0, 40_000),
  }),
  fc.record({ type: of<"hogql">("hogql"), key: of(...HOGQL_CONDITIONS.keys()) }),
);
const leaf = fc.oneof({ arbitrary: plainFilter, weight: 4 }, { arbitrary: special, weight: 1 });
const group = fc.record({ type: of<"AND" | "OR">("AND", "OR"), values: fc.array(leaf, { maxLength: 3 }) });
const nested = fc.record({
  type: of<"AND" | "OR">("AND", "OR"),
  values: fc.array(fc.oneof(leaf, group), { maxLength: 2 }),
});
export const filter: fc.Arbitrary<NaiveFilter> = fc.oneof({ arbitrary: leaf, weight: 4 }, group, nested);

const PROPERTY_MATHS = ["sum", "avg", "min", "max", "median", "p75", "p90", "p95", "p99"];
const math: fc.Arbitrary<Partial<NaiveSeries> & { math: string }> = fc.oneof(
  { arbitrary: of({ math: "total" }, { math: "dau" }, { math: "unique_session" }), weight: 3 },
  { arbitrary: of({ math: "weekly_active" }, { math: "weekly_active" }, { math: "monthly_active" }), weight: 2 },
  of({ math: "first_time_for_user" }, { math: "first_matching_event_for_user" }),
  of({ math: "unique_group", math_group_type_index: 0 }, { math: "unique_group", math_group_type_index: 2 }),
  fc.record({
    math: of(...PROPERTY_MATHS),
    math_property: of("n", "m", "k", "$session_duration", "$session_duration"),
    math_property_type: of("event_properties", "person_properties"),
  }),
  of(...HOGQL_MATHS.keys()).map((text) => ({ math: "hogql", math_hogql: text })),
  of(...PROPERTY_MATHS.slice(1)).map((name) => ({ math: `${name}_count_per_actor` })),
);
const entity = fc.oneof(
  {
    arbitrary: of({ kind: "EventsNode" as const, event: "view" }, { kind: "EventsNode" as const, event: "buy" }),
    weight: 3,
  },
  of({ kind: "EventsNode" as const, event: null }, { kind: "ActionsNode" as const, id: 7 }),
);
const series = fc
  .tuple(entity, math, few(filter, 2))
  .map(([node, how, own]): NaiveSeries => ({ ...node, ...how, properties: own }));

export const part = fc.oneof(
  fc.record({ property: of("k", "n", "a/b~c"), type: of("event", "person") }),
  fc.record({ property: of("k", "n"), type: of("group"), group_type_index: of(0, 2) }),
  fc.record({ property: of("event", "distinct_id"), type: of("event_metadata") }),
  fc.record({ property: of("n", "m"), type: of("event", "person"), histogram_bin_count: of(1, 2, 3, 5) }),
  fc.record({ property: of(...HOGQL_VALUES.keys()), type: of("hogql") }),
  fc.record({ property: of("k"), type: of("event"), normalize_url: of(true) }),
);
export const breakdown: fc.Arbitrary<NaiveQuery["breakdownFilter"]> = fc.oneof(
  fc.record(
    {
      breakdowns: fc.array(part, { minLength: 1, maxLength: 2 }),
      breakdown_limit: of(1, 2, 3, 25),
      breakdown_hide_other_aggregation: fc.boolean(),
    },
    { requiredKeys: ["breakdowns"] },
  ),
  fc.record({ breakdown: of<(number | "all")[]>([1], [1, 2], [2, "all"]), breakdown_type: of<"cohort">("cohort") }),
);

const { formula } = fc.letrec<{ formula: NaiveFormula }>((tie) => {
  const letter = of("A", "b").map((name): NaiveFormula => {
    return { text: name, value: (series) => series(name === "A" ? 0 : 1) };
  });
  const constant = of(0, 2, 0.5, 100).map((number): NaiveFormula => ({ text: String(number), value: () => number }));
  const negative = tie("formula").map(({ text, value }): NaiveFormula => {
    return { text: `-(${text})`, value: (series) => 0 - value(series) };
  });
  const operation = fc
    .tuple(tie("formula"), of("+", "-", "*", "/"), tie("formula"))
    .map(([a, operator, b]): NaiveFormula => {
      const value: NaiveFormula["value"] = (series) => operate(operator, a.value(series), b.value(series));
      return { text: `(${a.text}) ${operator} (${b.text})`, value };
    });
  return { formula: fc.oneof({ depthSize: "small", withCrossShrink: true }, letter, constant, negative, operation) };
});

function operate(operator: string, a: number, b: number): number {
  if (operator === "/") return b === 0 ? 0 : a / b;
  return operator === "+" ? a + b : operator === "-" ? a - b : a * b;
}

const LINES = ["ActionsLineGraph", "ActionsBar", "ActionsLineGraphCumulative"];
const TOTALS = ["BoldNumber", "ActionsPie", "ActionsTable"];

export const asked = fc.record({
  events: fc.array(event, { maxLength: 40, size: "max" }),
  persons,
  groups,
  types: fc.dictionary(of("k", "n"), of<"Boolean" | "Numeric">("Boolean", "Numeric"), { maxKeys: 1 }),
  series: fc.array(series, { minLength: 1, maxLength: 3 }),
  interval: of<Interval>("minute", "hour", "hour", "day", "day", "day", "week", "week", "month", "quarter", "year"),
  startDay: of(...DAYS),
  length: fc.integer({ min: 0, max: 16 }),
  form: of("absolute", "days", "weeks", "months", "hours", "default", "exclude", "instants"),
  properties: few(filter, 1),
  testAccountFilters: few(filter, 1),
  filterTestAccounts: fc.boolean(),
  groupIndex: fc.option(of(0), { nil: null, freq: 5 }),
  display: fc.oneof({ arbitrary: of(...LINES), weight: 3 }, of(...TOTALS)),
  smoothing: fc.option(of(2, 3, 7), { nil: 1, freq: 3 }),
  formulas: fc.option(fc.array(formula, { minLength: 1, maxLength: 2 }), { nil: null, freq: 3 }),
  breakdown: fc.option(breakdown, { nil: null, freq: 2 }),
  compare: fc.option(
    of({ compare: true }, { compare: true, compare_to: "-1w" }, { compare: true, compare_to: "-1m" }),
    { nil: null, freq: 3 },
  ),
  timezone: of(...ZONES),
  weekStartDay: of<0 | 1>(0, 1),
  byDistinctId: fc.boolean(),
});
export type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

/** What can be told by days and persons alone. */
export const askedByDay = fc
  .tuple(
    asked,
    of<Interval>("day", "week", "month"),
    fc.array(
      fc
        .tuple(
          entity,
          of("total", "dau", "weekly_active", "monthly_active", "first_time_for_user", "avg_count_per_actor"),
        )
        .map(([node, math]): NaiveSeries => ({ ...node, math, properties: [] })),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([given, interval, series]): Asked => {
    const plain = { properties: [], filterTestAccounts: false, groupIndex: null, breakdown: null, byDistinctId: false };
    return { ...given, ...plain, series, interval };
  });
