import { Type } from "@sinclair/typebox";
import type { Json } from "../../types/mod.ts";
import { alias, call, compare, constant, field, from, parametric, select } from "../hogql/syntax/build.ts";
import type { Expression, Query } from "../hogql/syntax/tree.ts";
import { invalidPart } from "../shape/errors.ts";
import { anything, object, optional } from "../shape/shapes.ts";
import { nextStart } from "../time/buckets.ts";
import { type Calendar, endOfDay, parseAbsolute } from "../time/dates.ts";
import { isDayStart } from "../time/zone.ts";
import type { Past, Period } from "./axis.ts";
import { NULL_VALUE, OTHER_VALUE } from "./breakdowns.ts";
import { firstTimes } from "./measures.ts";
import type { LineRows } from "./rows.ts";

const NONE = optional(Type.Null());

/** Members of a node that names a part of an insight's answer. Each kind says which of those from `day` on it takes. */
export const PART_FIELDS = {
  kind: Type.Literal("InsightActorsQuery"),
  source: anything,
  day: NONE,
  series: NONE,
  breakdown: NONE,
  compare: NONE,
  status: NONE,
  interval: NONE,
  includeRecordings: anything,
  modifiers: anything,
  tags: anything,
  version: anything,
  response: anything,
};

/** What PostHog calls a part of trends. */
export const PointSchema = object({
  ...PART_FIELDS,
  day: optional(Type.Union([Type.String(), Type.Number()])),
  series: optional(Type.Integer({ minimum: 0 })),
  breakdown: optional(
    Type.Union([Type.String(), Type.Number(), Type.Array(Type.Union([Type.String(), Type.Number()]))]),
  ),
  compare: optional(Type.Union([Type.Literal("current"), Type.Literal("previous")])),
});

/** What of an actor's events may be selected beside the actor. */
export const EVENT_COLUMNS = ["event_count", "event_distinct_ids", "matching_events"] as const;
/** Of an actor's events so many are named. */
const MAX_NAMED = 100;

/** What of an event they read. */
export const EVENT_FIELDS = ["timestamp", "uuid", "distinct_id", "$session_id", "$window_id"].map((name) =>
  field(name),
);

const ACTOR_ID = field("actor_id");

const named = (expr: Expression) => parametric("groupUniqArray", [MAX_NAMED], expr);

/** `matching_events` of an actor, over rows with `uuid`, `$session_id` and `$window_id` of events, and their times. */
export const matchingEvents = (time: Expression): Expression =>
  alias("matching_events", named(call("tuple", time, field("uuid"), field("$session_id"), field("$window_id"))));

/** `EVENT_COLUMNS` of the events of an actor, over rows with the fields of events that they name. */
export const eventColumns = (): Expression[] => [
  alias("event_count", call("count")),
  alias("event_distinct_ids", named(field("distinct_id"))),
  matchingEvents(field("timestamp")),
];

/** The actors of the events of a span: rows of `actor_id` and `EVENT_COLUMNS`. `more`: what is asked of the events besides. */
export function actorsOfEvents(rows: LineRows, span: Past, more: readonly Expression[] = []): Query {
  const { actors, ctes } = rows;
  const where = rows.within(span, [...actors.isOne, ...more]);
  return { ...rows.select([alias("actor_id", actors.id), ...eventColumns()], where, [ACTOR_ID]), ctes };
}

/** The actors whose first time is in the period: rows of `actor_id` and `event_count`. */
export function actorsOfFirstTimes(rows: LineRows, isMatching: boolean, more: Expression | null): Query {
  const firsts = firstTimes(rows, isMatching, "actors");
  return select([alias("actor_id", field("actor")), alias("event_count", constant(1))], {
    distinct: true,
    ctes: rows.ctes,
    select_from: from(firsts),
    where: more,
  });
}

/** Lists of `{label, value}` by the member of a part: what `InsightActorsQueryOptions` answers. */
export type Options = Record<string, { label: string; value: Json }[]>;

/** `compare` among the options; nothing where no periods are compared. */
export const periodOptions = (periods: readonly Period[]): Options =>
  periods.length === 1
    ? {}
    : { compare: periods.map(({ label: value }) => ({ label: value === "current" ? "Current" : "Previous", value })) };

/** `breakdown` among the options, by the values in the items of an answer; nothing without a breakdown. */
export function breakdownOptions(items: readonly { breakdown_value?: unknown }[]): Options {
  const labels = items
    .filter(({ breakdown_value: value }) => value != null)
    .map(({ breakdown_value: value }) => value as Json);
  const values = new Map(labels.map((value) => [[value].flat().join("::"), value]));
  return values.size === 0 ? {} : { breakdown: [...values].map(([label, value]) => ({ label, value })) };
}

/**
 * The conditions that the columns of a breakdown have the values that a part names: none where it names none; null where it means
 * "Other". Errors: `InvalidPart`.
 */
export function valuesAre(keys: readonly Expression[], asked: Json | undefined): Expression[] | null {
  if (asked == null) return [];
  const values = [asked].flat().map(String);
  if (values.length !== keys.length) {
    throw invalidPart("breakdown", `must have ${keys.length} values, not ${values.length}`);
  }
  if (values.includes(OTHER_VALUE)) return null;
  return keys.map((key, i) => compare(key, "==", constant(values[i] === "" ? NULL_VALUE : values[i]!)));
}

/** The number of the bucket that a node means by its `day`, or by another `member`. Errors: `InvalidPart`. */
export function bucketAt({ buckets }: Period, day: string | number, { timezone }: Calendar, member = "day"): number {
  const { days, starts, interval } = buckets!;
  const named = days.indexOf(String(day));
  if (named >= 0) return named;
  const at = parseAbsolute(String(day), timezone);
  const index = at === null ? -1 : starts.findLastIndex((start) => start.epochMilliseconds <= at.epochMilliseconds);
  const isIn = index >= 0 && at!.epochMilliseconds < nextStart(starts[index]!, interval).epochMilliseconds;
  if (!isIn) throw invalidPart(member, `there is no point of "${String(day).slice(0, 100)}"`);
  return index;
}

/** A bucket as a period of its own, without buckets. `isRunning`: with all before it. `isOfWindow`: as the day that it is named by. */
export function periodOfBucket(
  period: Period,
  index: number,
  { isRunning, isOfWindow }: { isRunning: boolean; isOfWindow: boolean },
  { timezone }: Calendar,
): Period {
  const { starts, interval } = period.buckets!;
  const start = starts[index]!;
  const end = nextStart(start, interval).subtract({ microseconds: 1 });
  const { range } = period;
  const from = isRunning || start.epochMilliseconds < range.from.epochMilliseconds ? range.from : start;
  const last = end.epochMilliseconds > range.to.epochMilliseconds ? range.to : end;
  const fromMs = isRunning ? period.fromMs : Math.max(period.fromMs, start.epochMilliseconds);
  const toMs = Math.min(period.toMs, last.epochMilliseconds);
  const isOfDays = [fromMs, toMs + 1].every((ms) => isDayStart(ms, timezone));
  return { ...period, range: { from, to: isOfWindow ? endOfDay(start) : last }, fromMs, toMs, buckets: null, isOfDays };
}
