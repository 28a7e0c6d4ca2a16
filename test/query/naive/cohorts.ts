import type { TestEvent, TestPerson } from "../../support/memoryLake.ts";
import { addMonths, DAY_MS, dateOf, HOUR_MS, instantOf, MINUTE_MS, wallOf } from "./clock.ts";
import { passes } from "./filters.ts";
import { type NaiveFilter, numberIn, textOf, type World } from "./world.ts";

export type Unit = "minute" | "hour" | "day" | "week" | "month" | "year";

export interface NaiveBehavior {
  type: "behavioral";
  value: string;
  key: string | number;
  event_type: "events" | "actions";
  event_filters?: NaiveFilter[];
  negation?: boolean;
  time_value?: number;
  time_interval?: Unit;
  explicit_datetime?: string;
  explicit_datetime_to?: string | null;
  operator?: string;
  operator_value?: number;
  min_periods?: number;
  total_periods?: number;
  seq_event?: string | number;
  seq_event_type?: "events" | "actions";
  seq_time_value?: number;
  seq_time_interval?: Unit;
}

export type NaiveCondition =
  | { type: "AND" | "OR"; values: NaiveCondition[] }
  | NaiveBehavior
  | { type: "person"; key: string; operator: "exact" | "is_set"; value: string; negation?: boolean }
  | { type: "cohort"; key: "id"; value: number; negation?: boolean };

/** Whether a person meets the conditions of a cohort (docs/queries.md#cohorts). `cohorts`: the conditions of others by id. */
export function isMember(
  person: TestPerson,
  condition: NaiveCondition,
  world: World,
  cohorts: ReadonlyMap<number, NaiveCondition>,
): boolean {
  if ("values" in condition) {
    if (condition.values.length === 0) return true;
    const test = (inner: NaiveCondition) => isMember(person, inner, world, cohorts);
    return condition.type === "OR" ? condition.values.some(test) : condition.values.every(test);
  }
  return meets(person, condition, world, cohorts) !== (condition.negation === true);
}

function meets(
  person: TestPerson,
  condition: Exclude<NaiveCondition, { values: NaiveCondition[] }>,
  world: World,
  cohorts: ReadonlyMap<number, NaiveCondition>,
): boolean {
  if (condition.type === "cohort") return isMember(person, cohorts.get(condition.value)!, world, cohorts);
  if (condition.type === "behavioral") return did(person, condition, world);
  const text = textOf(person.properties?.[condition.key]);
  if (condition.operator === "is_set") return text !== null;
  const wanted = numberIn(condition.value);
  return (
    text === condition.value || (wanted !== null && typeof condition.value === "number" && numberIn(text) === wanted)
  );
}

const COMPARISONS: Record<string, (left: number, right: number) => boolean> = {
  gte: (left, right) => left >= right,
  gt: (left, right) => left > right,
  lte: (left, right) => left <= right,
  lt: (left, right) => left < right,
  eq: (left, right) => left === right,
  exact: (left, right) => left === right,
};

/** Whether the person did it. */
function did(person: TestPerson, behavior: NaiveBehavior, world: World): boolean {
  const own = world.events
    .filter((event) => person.distinctIds.includes(event.distinctId))
    .toSorted((a, b) => a.timestampMs - b.timestampMs || (a.uuid! < b.uuid! ? -1 : 1));
  const named = own.filter((event) => isNamed(event, behavior.event_type, behavior.key, world));
  const passing = (event: TestEvent) => passes(event, behavior.event_filters ?? [], world);
  const meant = named.filter(passing);
  const between = (events: TestEvent[], fromMs: number, beforeMs: number) =>
    events.filter(({ timestampMs }) => timestampMs >= fromMs && timestampMs < beforeMs);
  const { value, operator = "exact", operator_value: wanted = 0 } = behavior;
  const compared = (count: number) => count > 0 && COMPARISONS[operator]!(count, wanted);
  const endMs = endOfToday(world);
  switch (value) {
    case "performed_event": {
      const [fromMs, beforeMs] = windowOf(behavior, world);
      return between(meant, fromMs, beforeMs).length > 0;
    }
    case "performed_event_multiple": {
      const [fromMs, beforeMs] = windowOf(behavior, world);
      return compared(between(meant, fromMs, beforeMs).length);
    }
    case "performed_event_first_time": {
      const [fromMs, beforeMs] = windowOf(behavior, world);
      const first = named[0];
      return first !== undefined && between([first], fromMs, beforeMs).length > 0 && passing(first);
    }
    case "stopped_performing_event": {
      const fromMs = ago(behavior.time_value!, behavior.time_interval!, world);
      const recentMs = ago(behavior.seq_time_value!, behavior.seq_time_interval!, world);
      return between(meant, fromMs, endMs).length > 0 && between(meant, recentMs, endMs).length === 0;
    }
    case "restarted_performing_event": {
      const fromMs = ago(behavior.time_value!, behavior.time_interval!, world);
      const recentMs = ago(behavior.seq_time_value!, behavior.seq_time_interval!, world);
      const counts = [
        between(meant, Number.NEGATIVE_INFINITY, fromMs).length,
        between(meant, fromMs, recentMs).length,
        between(meant, recentMs, endMs).length,
      ];
      return counts[0]! > 0 && counts[1] === 0 && counts[2]! > 0;
    }
    case "performed_event_regularly": {
      const edges = periodEdges(behavior, world);
      const periods = edges.slice(1).map((fromMs, i) => between(meant, fromMs, edges[i]!).length);
      return periods.filter(compared).length >= behavior.min_periods!;
    }
    case "performed_event_sequence": {
      const [fromMs, beforeMs] = windowOf(behavior, world);
      const firsts = between(meant, fromMs, beforeMs);
      const isNext = (event: TestEvent) => isNamed(event, behavior.seq_event_type!, behavior.seq_event!, world);
      const nexts = between(own, fromMs, beforeMs).filter(isNext);
      const limitMs = behavior.seq_time_value! * LENGTHS_MS[behavior.seq_time_interval!];
      return firsts.some((first) =>
        nexts.some((next) => {
          const laterMs = next.timestampMs - first.timestampMs;
          return next !== first && laterMs >= 0 && laterMs <= limitMs;
        }),
      );
    }
    default:
      throw new Error(value);
  }
}

function isNamed(event: TestEvent, type: "events" | "actions", key: string | number, world: World): boolean {
  if (type === "events") return event.event === key;
  const { steps } = world.actions.find(({ id }) => id === Number(key))!;
  return steps.some((step) => step.event === event.event && passes(event, step.filters, world));
}

const LENGTHS_MS: Record<Unit, number> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
};

const startOfDay = (wall: number, { timezone }: World): number => instantOf(dateOf(wall), timezone);
const endOfToday = (world: World): number => startOfDay(dateOf(wallOf(world.nowMs, world.timezone)) + DAY_MS, world);

const isClock = (unit: Unit): boolean => unit === "minute" || unit === "hour";
const floored = (ms: number, size: number, { timezone }: World): number => ms - (wallOf(ms, timezone) % size);

/** A wall time so many units earlier. */
function earlier(wall: number, amount: number, unit: Unit): number {
  if (unit === "day" || unit === "week") return wall - amount * LENGTHS_MS[unit];
  return addMonths(wall, -amount * (unit === "year" ? 12 : 1));
}

/** The beginning of the last so many units. */
function ago(amount: number, unit: Unit, world: World): number {
  if (isClock(unit)) return floored(world.nowMs - amount * LENGTHS_MS[unit], LENGTHS_MS[unit], world);
  return startOfDay(earlier(wallOf(world.nowMs, world.timezone), amount, unit), world);
}

/** The first instant within, and the first one after. Dates of tests are days. */
function windowOf(behavior: NaiveBehavior, world: World): [number, number] {
  const { explicit_datetime: from, explicit_datetime_to: to } = behavior;
  if (from === undefined) return [ago(behavior.time_value!, behavior.time_interval!, world), endOfToday(world)];
  const days = /^-(\d+)d$/.exec(from);
  const fromMs = days === null ? startOfDay(Date.parse(`${from}Z`), world) : ago(Number(days[1]), "day", world);
  return [fromMs, to == null ? endOfToday(world) : startOfDay(Date.parse(`${to}Z`) + DAY_MS, world)];
}

/** The edges of the periods, from the newest back. */
function periodEdges({ time_value: amount, time_interval: unit, total_periods: total }: NaiveBehavior, world: World) {
  return Array.from({ length: total! + 1 }, (_, i) => {
    if (isClock(unit!)) return floored(world.nowMs, LENGTHS_MS[unit!], world) - i * amount! * LENGTHS_MS[unit!];
    const today = dateOf(wallOf(world.nowMs, world.timezone));
    return instantOf(earlier(today, i * amount!, unit!), world.timezone);
  });
}
