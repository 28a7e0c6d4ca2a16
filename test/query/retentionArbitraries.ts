import fc from "fast-check";
import type { NaiveEntity, NaiveRetention } from "./naive/retention.ts";
import { asked, breakdown, DAY_MS, few, filter, of } from "./trendsArbitraries.ts";

// Random RetentionQueries over the worlds of trends.

const entity = fc
  .tuple(
    of<Omit<NaiveEntity, "properties">>(
      { kind: "EventsNode", event: "view" },
      { kind: "EventsNode", event: "view" },
      { kind: "EventsNode", event: "buy" },
      { kind: "EventsNode", event: null },
      { kind: "ActionsNode", id: 7 },
    ),
    few(filter, 1),
  )
  .map(([node, properties]): NaiveEntity => ({ ...node, properties }));
const plainEntity = of<NaiveEntity>(
  { kind: "EventsNode", event: "view", properties: [] },
  { kind: "EventsNode", event: "buy", properties: [] },
  { kind: "EventsNode", event: null, properties: [] },
);

const options = {
  interval: of<NaiveRetention["interval"]>("hour", "day", "day", "day", "week", "month"),
  totalIntervals: fc.oneof(fc.integer({ min: 1, max: 12 }), of(30, 52)),
  retentionForm: of("last", "last", "last", "exclude", "range", "range", "from", "instants"),
  type: of<NaiveRetention["type"]>("each", "each", "first", "firstOfName"),
  target: entity,
  returning: fc.option(entity, { nil: null, freq: 2 }),
  isCumulative: fc.boolean(),
  minimum: of(1, 1, 1, 2, 3),
  areWindows: of(false, false, true),
  brackets: fc.option(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), { nil: null, freq: 2 }),
  summed: fc.oneof(
    { arbitrary: of(null), weight: 2 },
    fc.record({
      type: of<"sum" | "avg">("sum", "avg"),
      property: of("n", "m", "k"),
      owner: of<"event" | "person">("event", "event", "person"),
    }),
  ),
  retentionBreakdown: fc.option(breakdown, { nil: null, freq: 2 }),
  /** Which part of the answer is asked for its people. */
  part: fc.nat(),
};

/** What has an answer: sums are by calendar, and windows not cumulative. */
function sound<T extends { isCumulative: boolean; areWindows: boolean; summed: unknown }>(given: T): T {
  const areWindows = given.areWindows && given.summed === null;
  return { ...given, areWindows, isCumulative: given.isCumulative && given.summed === null && !areWindows };
}

/** Longer intervals need events that lie further apart, hours some that are nearer; those at edges of hours stay there. */
const APART: Record<string, number> = { hour: 0.125, day: 1, week: 4, month: 12 };

export const askedRetention = fc.tuple(asked, fc.record(options)).map(([world, how]) => {
  const endMs = world.length * DAY_MS;
  const apart = APART[how.interval]!;
  const events = world.events.map((event) => ({
    ...event,
    offsetMs: endMs - Math.round((endMs - event.offsetMs) * apart),
  }));
  return sound({ ...world, ...how, events });
});
export type AskedRetention = typeof askedRetention extends fc.Arbitrary<infer T> ? T : never;

/** What can be told by days and persons alone. */
export const askedRetentionByDay = fc
  .tuple(askedRetention, of<NaiveRetention["interval"]>("day", "week", "month"), plainEntity, plainEntity)
  .map(
    ([given, interval, target, returning]): AskedRetention => ({
      ...given,
      interval,
      target,
      returning,
      properties: [],
      filterTestAccounts: false,
      groupIndex: null,
      byDistinctId: false,
      retentionBreakdown: null,
      summed: null,
    }),
  );
