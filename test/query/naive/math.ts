import type { TestEvent } from "../../support/memoryLake.ts";
import { DAY_MS, dateOf, instantOf, wallOf } from "./clock.ts";
import { passes } from "./filters.ts";
import { HOGQL_MATHS } from "./hogql.ts";
import type { NaiveBucket, NaivePeriod } from "./periods.ts";
import {
  type NaiveFilter,
  numberIn,
  personKey,
  propertiesOf,
  sessionSeconds,
  subjectText,
  textOf,
  type World,
} from "./world.ts";

export interface NaiveSeries {
  kind: "EventsNode" | "ActionsNode";
  event?: string | null;
  id?: number;
  properties: NaiveFilter[];
  math: string;
  math_property?: string;
  math_property_type?: string;
  math_group_type_index?: number;
  math_hogql?: string;
}

/** What a series is asked in. */
export interface Asked {
  world: World;
  /** Of the whole query. */
  filters: NaiveFilter[];
  groupIndex: number | null;
  isCumulative: boolean;
  period: NaivePeriod;
  /** Null for a total. */
  buckets: NaiveBucket[] | null;
  interval: string;
  /** The values that an event counts under; usually one. */
  keyOf(event: TestEvent): string;
}

/** Whether an event is one that a series names, whatever its filters say. */
export function isMeant(event: TestEvent, series: Pick<NaiveSeries, "kind" | "event" | "id">, world: World): boolean {
  if (series.kind === "EventsNode") return series.event == null || series.event === event.event;
  const action = world.actions.find((one) => one.id === series.id)!;
  return action.steps.some(
    (step) => (step.event === null || step.event === event.event) && passes(event, step.filters, world),
  );
}

/** Who did it, as a series counts; null for nobody. */
export function actorOf(
  event: TestEvent,
  series: NaiveSeries,
  { world, groupIndex }: Pick<Asked, "world" | "groupIndex">,
): string | null {
  const group = series.math === "unique_group" ? series.math_group_type_index! : groupIndex;
  if (group !== null) return textOf(propertiesOf(event)[`$group_${group}`]) || null;
  return world.byDistinctId ? event.distinctId : personKey(event, world);
}

/** Sorted numbers: what lies at a share of the way from the first to the last. */
export function quantile(numbers: number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at - Math.floor(at));
}

function aggregate(name: string, numbers: number[]): number {
  if (numbers.length === 0) return 0;
  const sum = numbers.reduce((total, number) => total + number, 0);
  if (name === "sum") return sum;
  if (name === "avg") return sum / numbers.length;
  if (name === "min") return Math.min(...numbers);
  if (name === "max") return Math.max(...numbers);
  return quantile(numbers, name === "median" ? 0.5 : Number(name.slice(1)) / 100);
}

const WINDOWS: Record<string, { days: number; plain: string[] }> = {
  weekly_active: { days: 7, plain: ["week", "month", "quarter", "year"] },
  monthly_active: { days: 30, plain: ["month", "quarter", "year"] },
};

/** For each value of the breakdown its numbers by bucket; one number for a total (docs/queries.md#maths). */
export function counted(series: NaiveSeries, asked: Asked): Map<string, number[]> {
  const { world, filters, period, buckets } = asked;
  const window = WINDOWS[series.math];
  const meant = world.events.filter((event) => isMeant(event, series, world));
  const passing = meant.filter((event) => passes(event, [...series.properties, ...filters], world));
  if (window !== undefined && (buckets === null || !window.plain.includes(asked.interval))) {
    return active(passing, series, asked, window.days);
  }
  const isIn = (event: TestEvent): boolean => event.timestampMs >= period.fromMs && event.timestampMs <= period.toMs;
  if (series.math.startsWith("first_")) {
    const isMatching = series.math === "first_matching_event_for_user";
    const firsts = firstEvents(isMatching ? passing : meant, series, asked);
    const found = firsts.filter((event) => isIn(event) && passing.includes(event));
    return inBuckets(found, asked, (events) => events.length);
  }
  const inside = passing.filter(isIn);
  if (asked.isCumulative && (series.math === "dau" || series.math === "unique_group" || window !== undefined)) {
    return onceEach(inside, series, asked);
  }
  // Events of nobody, and of no session, are no value of a breakdown where those are what is counted over.
  const counts = (event: TestEvent): boolean => {
    if (series.math.endsWith("_count_per_actor")) return actorOf(event, series, asked) !== null;
    if (series.math_property !== "$session_duration") return true;
    return typeof propertiesOf(event).$session_id === "string";
  };
  return inBuckets(inside.filter(counts), asked, (events) => numberFor(events, series, asked));
}

function numberFor(events: TestEvent[], series: NaiveSeries, asked: Asked): number {
  const { world } = asked;
  const { math } = series;
  const actors = events.map((event) => actorOf(event, series, asked)).filter((actor) => actor !== null);
  if (math === "total") return events.length;
  if (math === "hogql") return HOGQL_MATHS.get(series.math_hogql!)!(events);
  if (math === "dau" || math === "unique_group" || math.endsWith("_active")) return new Set(actors).size;
  if (math === "unique_session") return new Set(events.map((event) => propertiesOf(event).$session_id ?? "")).size;
  if (math.endsWith("_count_per_actor")) {
    const counts = [...Map.groupBy(actors, (actor) => actor).values()].map((all) => all.length);
    return aggregate(math.replace("_count_per_actor", ""), counts);
  }
  if (series.math_property === "$session_duration") {
    const sessions = Map.groupBy(events, (event) => textOf(propertiesOf(event).$session_id) ?? "");
    sessions.delete("");
    const seconds = [...sessions.values()].map((all) => sessionSeconds(all[0]!, world)!);
    return aggregate(math, seconds);
  }
  const type = series.math_property_type === "person_properties" ? "person" : "event";
  const texts = events.map((event) => subjectText(event, { type, key: series.math_property! }, world));
  return aggregate(
    math,
    texts.map(numberIn).filter((number) => number !== null),
  );
}

function inBuckets(events: TestEvent[], asked: Asked, value: (events: TestEvent[]) => number): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [key, own] of Map.groupBy(events, asked.keyOf)) {
    const { buckets } = asked;
    const numbers = buckets?.map((bucket) => {
      const here = own.filter((event) => bucket.holds(event.timestampMs));
      return here.length === 0 ? 0 : value(here);
    });
    found.set(key, numbers ?? [value(own)]);
  }
  return found;
}

/** Each actor in its first bucket only. */
function onceEach(events: TestEvent[], series: NaiveSeries, asked: Asked): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [key, own] of Map.groupBy(events, asked.keyOf)) {
    const known = new Set<string>();
    const numbers = asked.buckets!.map((bucket) => {
      const here = own.filter((event) => bucket.holds(event.timestampMs));
      const actors = new Set(here.map((event) => actorOf(event, series, asked)).filter((actor) => actor !== null));
      const fresh = [...actors].filter((actor) => !known.has(actor));
      for (const actor of fresh) known.add(actor);
      return fresh.length;
    });
    if (numbers.some((number) => number > 0)) found.set(key, numbers);
  }
  return found;
}

function firstEvents(events: TestEvent[], series: NaiveSeries, asked: Asked): TestEvent[] {
  const firsts = new Map<string, TestEvent>();
  for (const event of events) {
    const actor = actorOf(event, series, asked);
    if (actor === null) continue;
    const first = firsts.get(actor);
    const isEarlier =
      first === undefined ||
      event.timestampMs < first.timestampMs ||
      (event.timestampMs === first.timestampMs && event.uuid! < first.uuid!);
    if (isEarlier) firsts.set(actor, event);
  }
  return [...firsts.values()];
}

/** Actors of the bucket's day and the days before it; of a total those of the days that end with the range. */
function active(events: TestEvent[], series: NaiveSeries, asked: Asked, days: number): Map<string, number[]> {
  const { world, period, buckets } = asked;
  const { timezone } = world;
  const found = new Map<string, number[]>();
  // A period that ends before it begins holds nothing.
  if (period.toMs < period.fromMs) return found;
  const until = events.filter((event) => event.timestampMs <= period.toMs);
  const countOf = (of: TestEvent[]): number =>
    new Set(of.map((event) => actorOf(event, series, asked)).filter((actor) => actor !== null)).size;
  for (const [key, own] of Map.groupBy(until, asked.keyOf)) {
    if (buckets === null) {
      const startMs = instantOf(wallOf(period.toMs + 1, timezone) - days * DAY_MS, timezone);
      found.set(key, [countOf(own.filter((event) => event.timestampMs >= startMs))]);
      continue;
    }
    const numbers = buckets.map(({ date }) => {
      const dates = (event: TestEvent): number => dateOf(wallOf(event.timestampMs, timezone));
      return countOf(own.filter((event) => dates(event) <= date && dates(event) > date - days * DAY_MS));
    });
    found.set(key, numbers);
  }
  for (const [key, numbers] of found) if (numbers.every((number) => number === 0)) found.delete(key);
  return found;
}
