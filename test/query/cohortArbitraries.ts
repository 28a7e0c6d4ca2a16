import fc from "fast-check";
import type { NaiveBehavior, NaiveCondition, Unit } from "./naive/cohorts.ts";
import type { World } from "./naive/world.ts";

// Random small worlds, and random cohorts over them.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const ZONES = ["UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Europe/London"];
/** Days around changes of the clock, a leap day, the end of a year. */
const TODAYS = ["2018-11-05", "2020-03-09", "2020-10-05", "2020-03-01", "2020-01-02", "2020-03-31"];

const of = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Edges of days in some zone, a moment before them, and times in between; many are equal. */
const offset = fc.oneof(
  fc
    .tuple(fc.integer({ min: -12, max: 1 }), of(0, 4, 5, 5.5, 10.5, 11, 12, 13, 13.5), of(0, 0, -1, 1))
    .map(([day, hour, ms]) => day * DAY_MS + hour * HOUR_MS + ms),
  fc.tuple(of(-400, -370, -62, -31, -28), of(0, 5, 12)).map(([day, hour]) => day * DAY_MS + hour * HOUR_MS),
);

const event = fc.record({
  event: of("buy", "view", "view", "other"),
  distinctId: of("a", "a2", "b", "c", "ghost"),
  offsetMs: offset,
  k: of("x", "y", null),
  uuid: fc.uuid(),
  personMode: of(0, 0, 1),
});

const entity = of<Pick<NaiveBehavior, "key" | "event_type">>(
  { key: "view", event_type: "events" },
  { key: "buy", event_type: "events" },
  { key: 7, event_type: "actions" },
  { key: "7", event_type: "actions" },
);
const next = entity.map(({ key, event_type }) => ({ seq_event: key, seq_event_type: event_type }));
const filters = of<NonNullable<NaiveBehavior["event_filters"]>>(
  [],
  [],
  [{ type: "event", key: "k", operator: "exact", value: ["x"] }],
  [{ type: "person", key: "plan", operator: "is_set" }],
  [{ type: "cohort", key: "id", value: 1 }],
);
const length = of<{ time_value: number; time_interval: Unit }>(
  { time_value: 1, time_interval: "day" },
  { time_value: 3, time_interval: "day" },
  { time_value: 7, time_interval: "day" },
  { time_value: 1, time_interval: "week" },
  { time_value: 1, time_interval: "month" },
  { time_value: 1, time_interval: "year" },
  { time_value: 30, time_interval: "hour" },
  { time_value: 90, time_interval: "minute" },
);
const date = of<{ explicit_datetime: string; explicit_datetime_to?: string | null }>(
  { explicit_datetime: "-4d" },
  { explicit_datetime: "2020-01-01", explicit_datetime_to: "2020-03-07" },
  { explicit_datetime: "2018-11-01", explicit_datetime_to: null },
  { explicit_datetime: "2020-10-03", explicit_datetime_to: "2020-10-03" },
);
const window = fc.oneof({ arbitrary: length, weight: 3 }, { arbitrary: date, weight: 1 });
/** Longer and shorter times. */
const parts = of<Partial<NaiveBehavior>>(
  { time_value: 7, time_interval: "day", seq_time_value: 2, seq_time_interval: "day" },
  { time_value: 1, time_interval: "month", seq_time_value: 1, seq_time_interval: "week" },
  { time_value: 3, time_interval: "day", seq_time_value: 5, seq_time_interval: "hour" },
  { time_value: 1, time_interval: "year", seq_time_value: 6, seq_time_interval: "day" },
);
const comparison = fc.record({
  operator: of("gte", "gt", "lte", "lt", "eq", "exact"),
  operator_value: of(1, 1, 2, 3),
});
const periods = fc.record({ min_periods: of(1, 1, 2, 3), total_periods: of(3, 4, 9) });
const limit = of<Partial<NaiveBehavior>>(
  { seq_time_value: 1, seq_time_interval: "minute" },
  { seq_time_value: 1, seq_time_interval: "hour" },
  { seq_time_value: 1, seq_time_interval: "day" },
  { seq_time_value: 2, seq_time_interval: "week" },
);

const kinds: Record<string, fc.Arbitrary<Partial<NaiveBehavior>>[]> = {
  performed_event: [window],
  performed_event_multiple: [window, comparison],
  performed_event_first_time: [window],
  performed_event_regularly: [length, comparison, periods],
  stopped_performing_event: [parts],
  restarted_performing_event: [parts],
  performed_event_sequence: [window, next, limit],
};

const behavior = fc.oneof(
  ...Object.entries(kinds).map(([value, own]) =>
    fc
      .tuple(entity, filters, of(false, false, true), fc.tuple(...own))
      .map(
        ([named, event_filters, negation, members]): NaiveBehavior =>
          Object.assign({ type: "behavioral" as const, value, ...named, event_filters, negation }, ...members),
      ),
  ),
);

const plain = of<NaiveCondition>(
  { type: "person", key: "plan", operator: "exact", value: "pro" },
  { type: "person", key: "plan", operator: "is_set", value: "is_set", negation: true },
  { type: "cohort", key: "id", value: 1 },
  { type: "cohort", key: "id", value: 1, negation: true },
);

const { condition } = fc.letrec<{ condition: NaiveCondition; group: NaiveCondition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: "small", maxDepth: 2, withCrossShrink: true },
    { arbitrary: behavior, weight: 6 },
    { arbitrary: plain, weight: 1 },
    { arbitrary: tie("group"), weight: 3 },
  ),
  group: fc
    .tuple(of("AND" as const, "OR" as const), fc.array(tie("condition"), { minLength: 1, maxLength: 3 }))
    .map(([type, values]) => ({ type, values })),
}));

export const asked = fc.record({
  events: fc.array(event, { minLength: 1, maxLength: 14 }),
  timezone: of(...ZONES),
  today: of(...TODAYS),
  isMerged: fc.boolean(),
  /** Cohort 2; cohort 1 is that of a plan. */
  condition,
  /** Cohort 3 has cohort 2 inside. */
  around: of("in", "not in"),
});
export type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

export function worldOf({ events, timezone, today, isMerged }: Asked): World {
  const base = Date.parse(`${today}T00:00:00Z`);
  return {
    events: events.map(({ offsetMs, k, ...rest }) => ({ ...rest, timestampMs: base + offsetMs, properties: { k } })),
    persons: [
      { distinctIds: isMerged ? ["a", "a2"] : ["a"], properties: { plan: "pro" } },
      ...(isMerged ? [] : [{ distinctIds: ["a2"] }]),
      { distinctIds: ["b"], properties: { plan: "free" } },
      { distinctIds: ["c"] },
      { distinctIds: ["silent"], properties: { plan: "pro" } },
    ],
    groups: [],
    cohorts: [{ id: 1, name: "pro", filters: [{ type: "person", key: "plan", operator: "exact", value: "pro" }] }],
    actions: [
      {
        id: 7,
        name: "bought or seen",
        steps: [
          { event: "buy", filters: [] },
          { event: "view", filters: [{ key: "k", operator: "is_set" }] },
        ],
      },
    ],
    types: {},
    testAccountFilters: [],
    timezone,
    weekStartDay: 0,
    nowMs: base + 12 * HOUR_MS + 345,
    byDistinctId: false,
  };
}
