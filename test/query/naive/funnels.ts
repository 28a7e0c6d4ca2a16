import type { TestEvent } from "../../support/memoryLake.ts";
import { inCohort, passes } from "./filters.ts";
import { HOGQL_VALUES } from "./hogql.ts";
import { isMeant, type NaiveSeries, quantile } from "./math.ts";
import {
  bucketsOf,
  earlierPeriod,
  type Interval,
  type NaiveBucket,
  type NaivePeriod,
  type NaiveRange,
  periodOf,
} from "./periods.ts";
import { firstWholeDay } from "./trends.ts";
import { type NaivePart, NULL, valueReader } from "./values.ts";
import { type NaiveFilter, personKey, personOf, propertiesOf, textOf, type World } from "./world.ts";

// A FunnelsQuery by plain loops over the events, written from docs/queries.md and sharing no code with the engine. How far an
// actor's events come is asked of `walk`, which tries all ways to give steps events.

/** An event of an actor: bit k of `steps` says that it fits step k, bit i of `excluded` that it is the i-th exclusion. */
export interface NaiveRow {
  atMs: number;
  steps: number;
  excluded: number;
  value: string | null;
}

/** The deepest attempt of an actor, for a value and a bucket. */
export interface NaiveAttempt {
  value: string | null;
  bucket: number | null;
  reached: number;
  timesMs: (number | null)[];
}

export interface NaiveProgram {
  steps: number;
  order: "ordered" | "strict" | "unordered";
  windowMs: number;
  optional: number[];
  exclusions: { from: number; to: number }[];
  attribution: "first" | "last" | "all" | number | null;
  bucketStartsMs: number[] | null;
}

export type NaiveWalk = (rows: NaiveRow[], program: NaiveProgram) => NaiveAttempt[];

/** Any of several events. */
interface NaiveGroup {
  kind: "GroupNode";
  operator: "OR";
  nodes: NaiveEntity[];
  properties: NaiveFilter[];
}

type NaiveEntity = Pick<NaiveSeries, "kind" | "event" | "id" | "properties">;

export type NaiveNode = NaiveEntity | NaiveGroup;

export type NaiveFunnelStep = NaiveNode & { math?: string; optionalInFunnel?: boolean };

export interface NaiveFunnel {
  series: NaiveFunnelStep[];
  interval: Interval;
  dateRange: NaiveRange;
  properties: NaiveFilter[];
  filterTestAccounts: boolean;
  aggregation_group_type_index: number | null;
  funnelsFilter: {
    funnelVizType: "steps" | "time_to_convert" | "trends";
    funnelOrderType: NaiveProgram["order"];
    funnelWindowInterval: number;
    funnelWindowIntervalUnit: keyof typeof UNIT_MS;
    funnelFromStep?: number | null;
    funnelToStep?: number | null;
    exclusions: (NaiveNode & { funnelFromStep: number; funnelToStep: number })[];
    breakdownAttributionType: "first_touch" | "last_touch" | "all_events" | "step";
    breakdownAttributionValue?: number | null;
    funnelAggregateByHogQL: string | null;
    binCount?: number | null;
  };
  compareFilter: { compare: boolean; compare_to?: string } | null;
  breakdownFilter:
    | { breakdowns: NaivePart[]; breakdown_limit?: number; breakdown_hide_other_aggregation?: boolean }
    | { breakdown: (number | "all")[]; breakdown_type: "cohort" }
    | null;
}

const UNIT_MS = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_678_400_000,
};

/** What is told of a value of the breakdown in a period. */
export interface NaiveResult {
  period: "current" | "previous";
  /** Null without a breakdown. */
  value: string[] | number | "all" | null;
  steps: {
    count: number;
    average: number | null;
    median: number | null;
    actors: string[];
    /** Who did the required step before, and not this one. */
    dropped: string[];
  }[];
  days: string[];
  from: number[];
  to: number[];
  /** By bucket: who converted, and who only came to the first step asked about. */
  converted: string[][];
  dropped: string[][];
  times: { bins: [number, number][]; average: number | null };
}

interface Line {
  period: NaivePeriod;
  label: NaiveResult["period"];
  cohort: number | "all" | null;
}

type Attempt = NaiveAttempt & { actor: string };

export function evaluateFunnel(query: NaiveFunnel, world: World, walk: NaiveWalk): NaiveResult[] {
  const { compareFilter, breakdownFilter, funnelsFilter } = query;
  const current = periodOf(query.dateRange, query.interval, false, world);
  const periods: [NaiveResult["period"], NaivePeriod][] = [["current", current]];
  if (compareFilter?.compare) {
    const to = compareFilter.compare_to ?? null;
    periods.push(["previous", earlierPeriod(current, query.dateRange, query.interval, false, to, world.timezone)]);
  }
  const cohorts =
    breakdownFilter !== null && "breakdown" in breakdownFilter && funnelsFilter.funnelVizType !== "time_to_convert"
      ? breakdownFilter.breakdown
      : [null];
  return periods.flatMap(([label, period]) =>
    cohorts.flatMap((cohort) => lineResults(query, { period, label, cohort }, world, walk)),
  );
}

/** The time that a funnel is about, without the one that it is compared with. */
export const spanOf = ({ dateRange, interval }: NaiveFunnel, world: World): NaivePeriod =>
  firstWholeDay(periodOf(dateRange, interval, false, world), interval, true, world);

/** The milliseconds in which an actor may go through the funnel. */
export const windowOf = ({ funnelsFilter: filter }: NaiveFunnel): number =>
  filter.funnelWindowInterval * UNIT_MS[filter.funnelWindowIntervalUnit];

/** How far each actor came, whatever the funnel is broken down by or compared with. */
export function attemptsWithout(query: NaiveFunnel, world: World, walk: NaiveWalk): Attempt[] {
  const period = spanOf(query, world);
  const plain = { ...query, breakdownFilter: null, compareFilter: null };
  return attemptsOf(plain, { period, label: "current", cohort: null }, null, world, walk);
}

function lineResults(query: NaiveFunnel, line: Line, world: World, walk: NaiveWalk): NaiveResult[] {
  const { funnelsFilter: filter, breakdownFilter } = query;
  const isTrends = filter.funnelVizType === "trends";
  const buckets = isTrends ? bucketsOf(line.period, query.interval, world) : null;
  const period = firstWholeDay(line.period, query.interval, !isTrends, world);
  const attempts = attemptsOf(query, { ...line, period }, buckets, world, walk);
  const hasValues =
    breakdownFilter !== null && "breakdowns" in breakdownFilter && filter.funnelVizType !== "time_to_convert";
  const result = (value: NaiveResult["value"], own: Attempt[]): NaiveResult => ({
    period: line.label,
    value,
    steps: query.series.map((_, i) => stepOf(query, own, i)),
    ...trendOf(query, own, buckets ?? []),
    times: timesOf(query, own),
  });
  if (!hasValues) return [result(line.cohort, attempts)];
  const values = Map.groupBy(attempts, ({ value }) => value ?? "");
  const ranked = [...values].toSorted(
    ([a, x], [b, y]) => compareRanks(rankOf(query, x), rankOf(query, y)) || (a < b ? -1 : 1),
  );
  const limit = breakdownFilter.breakdown_limit ?? 25;
  const parts = breakdownFilter.breakdowns.length;
  const shown = ranked.slice(0, limit).map(([value, own]) => result(listOf(value, parts), own));
  const rest = ranked.slice(limit).flatMap(([, own]) => own);
  if (rest.length === 0 || breakdownFilter.breakdown_hide_other_aggregation) return shown;
  return [...shown, result(["Other"], rest)];
}

function listOf(value: string, parts: number): string[] {
  if (parts === 1) return [value];
  return value === "" ? new Array(parts).fill("") : JSON.parse(value);
}

/** What values are ranked by, the first number first. */
function rankOf(query: NaiveFunnel, attempts: Attempt[]): number[] {
  if (query.funnelsFilter.funnelVizType === "trends") {
    const { from, to } = stepsAsked(query);
    return [from, to].map((step) => attempts.filter(({ reached }) => reached > step).length);
  }
  return query.series.map((_, i) => attempts.filter(({ timesMs }) => timesMs[i] != null).length).toReversed();
}

function compareRanks(a: number[], b: number[]): number {
  const i = a.findIndex((count, at) => count !== b[at]);
  return i < 0 ? 0 : b[i]! - a[i]!;
}

function stepsAsked({ series, funnelsFilter }: NaiveFunnel): { from: number; to: number } {
  return { from: funnelsFilter.funnelFromStep ?? 0, to: funnelsFilter.funnelToStep ?? series.length - 1 };
}

function stepOf({ series }: NaiveFunnel, attempts: Attempt[], step: number): NaiveResult["steps"][number] {
  const came = attempts.filter(({ timesMs }) => timesMs[step] != null);
  const actors = came.map(({ actor }) => actor);
  let before = step - 1;
  while (before > 0 && series[before]!.optionalInFunnel) before--;
  const isTimed = step > 0 && !series[step]!.optionalInFunnel;
  const gaps = isTimed
    ? came.map(({ timesMs }) => (timesMs[step]! - timesMs[before]!) / 1000).filter((gap) => gap > 0)
    : [];
  const dropped = attempts.filter(({ timesMs }) => step > 0 && timesMs[before] != null && timesMs[step] == null);
  return {
    count: came.length,
    dropped: dropped.map(({ actor }) => actor),
    average: averageOf(gaps),
    median: gaps.length === 0 ? null : quantile(gaps, 0.5),
    actors,
  };
}

const averageOf = (numbers: number[]): number | null =>
  numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

function trendOf(query: NaiveFunnel, attempts: Attempt[], buckets: NaiveBucket[]) {
  const { from, to } = stepsAsked(query);
  const each = buckets.map((_, bucket) => {
    const own = attempts.filter((attempt) => attempt.bucket === bucket && attempt.reached > from);
    const named = (some: Attempt[]): string[] => some.map(({ actor }) => actor);
    return {
      converted: named(own.filter(({ reached }) => reached > to)),
      dropped: named(own.filter(({ reached }) => reached <= to)),
    };
  });
  return {
    days: buckets.map(({ name }) => name),
    from: each.map(({ converted, dropped }) => converted.length + dropped.length),
    to: each.map(({ converted }) => converted.length),
    converted: each.map(({ converted }) => converted),
    dropped: each.map(({ dropped }) => dropped),
  };
}

function timesOf(query: NaiveFunnel, attempts: Attempt[]): NaiveResult["times"] {
  const { from, to } = stepsAsked(query);
  const times = attempts
    .filter(({ reached }) => reached > to)
    .map(({ timesMs }) => (timesMs[to]! - timesMs[from]!) / 1000);
  if (times.length === 0) return { bins: [], average: null };
  const low = Math.floor(Math.min(...times));
  const high = Math.ceil(Math.max(...times));
  const given = query.funnelsFilter.binCount ?? null;
  let count = 1;
  while (count ** 3 < times.length) count++;
  count = given === null ? Math.min(60, count) : Math.min(90, Math.max(1, given));
  const width = Math.ceil((high - low) / count) || 60;
  const bins = Array.from({ length: count + 1 }, (_, i): [number, number] => {
    const [first, next] = [low + i * width, low + (i + 1) * width];
    return [first, times.filter((time) => time >= first && time < next).length];
  });
  return { bins, average: averageOf(times) };
}

function attemptsOf(
  query: NaiveFunnel,
  line: Line,
  buckets: NaiveBucket[] | null,
  world: World,
  walk: NaiveWalk,
): Attempt[] {
  const { funnelsFilter: filter, breakdownFilter, series } = query;
  const inside = insideOf(query, line, world);
  const hasValues =
    breakdownFilter !== null && "breakdowns" in breakdownFilter && filter.funnelVizType !== "time_to_convert";
  const isAsked = (event: TestEvent): boolean =>
    filter.funnelOrderType === "strict" || [...series, ...filter.exclusions].some((one) => fits(event, one, world));
  // Bins lie between the numbers of the events that are asked for.
  const meant = inside.filter(isAsked);
  const readers = hasValues ? breakdownFilter.breakdowns.map((part) => valueReader(part, meant, world)) : [];
  const firsts = series.map((step) => firstsOf(query, step, line, world));
  const rowOf = (event: TestEvent): NaiveRow => ({
    atMs: event.timestampMs,
    steps: bitsWhere(series, (step, i) => {
      const first = firsts[i];
      return first === null ? fits(event, step, world) : first!.has(event);
    }),
    excluded: bitsWhere(filter.exclusions, (node) => fits(event, node, world)),
    value: hasValues ? valueIn(readers.map((read) => read(event))) : null,
  });
  const program: NaiveProgram = {
    steps: series.length,
    order: filter.funnelOrderType,
    windowMs: windowOf(query),
    optional: series.flatMap((step, i) => (step.optionalInFunnel ? [i] : [])),
    exclusions: filter.exclusions.map(({ funnelFromStep: from, funnelToStep: to }) => ({ from, to })),
    attribution: hasValues ? attributionOf(filter) : null,
    bucketStartsMs: buckets?.map((bucket) => firstMsOf(bucket, line.period)) ?? null,
  };
  const isNeeded = (row: NaiveRow): boolean => filter.funnelOrderType === "strict" || row.steps > 0 || row.excluded > 0;
  return [...Map.groupBy(inside, (event) => actorOf(event, query, world)!)].flatMap(([actor, own]) => {
    const sorted = own.map(rowOf).toSorted((a, b) => a.atMs - b.atMs || ((a.value ?? "") < (b.value ?? "") ? -1 : 1));
    return walk(sorted.filter(isNeeded), program).map((attempt) => ({ ...attempt, actor }));
  });
}

/** Only that attempts of different buckets are told apart matters. */
function firstMsOf(bucket: NaiveBucket, { fromMs, toMs }: NaivePeriod): number {
  let [low, high] = [fromMs, toMs];
  for (let ms = fromMs; ms <= toMs; ms += 900_000) {
    if (bucket.holds(ms)) {
      high = ms;
      break;
    }
    low = ms;
  }
  while (low < high && !bucket.holds(low)) {
    const middle = Math.floor((low + high) / 2);
    if (bucket.holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function attributionOf({
  breakdownAttributionType: type,
  breakdownAttributionValue: step,
}: NaiveFunnel["funnelsFilter"]) {
  if (type === "step") return step!;
  return ({ first_touch: "first", last_touch: "last", all_events: "all" } as const)[type];
}

/** Null where an event has none of the values. */
function valueIn(values: string[]): string | null {
  const texts = values.map((value) => (value === NULL ? "" : value));
  if (texts.every((text) => text === "")) return null;
  return texts.length === 1 ? texts[0]! : JSON.stringify(texts);
}

/** The events that are walked over, by whomever. */
function insideOf(query: NaiveFunnel, { period, cohort }: Line, world: World): TestEvent[] {
  const filters = filtersOf(query, world);
  const isMember = (event: TestEvent): boolean => {
    if (cohort === null || cohort === "all") return true;
    const person = personOf(event, world);
    return person !== undefined && inCohort(person, cohort, world);
  };
  return world.events.filter((event) => {
    const isIn = event.timestampMs >= period.fromMs && event.timestampMs <= period.toMs;
    return isIn && isMember(event) && actorOf(event, query, world) !== null && passes(event, filters, world);
  });
}

const filtersOf = ({ properties, filterTestAccounts }: NaiveFunnel, world: World): NaiveFilter[] => [
  ...properties,
  ...(filterTestAccounts ? world.testAccountFilters : []),
];

export function actorOf(event: TestEvent, query: NaiveFunnel, world: World): string | null {
  const group = query.aggregation_group_type_index;
  const text = query.funnelsFilter.funnelAggregateByHogQL;
  if (group !== null) return textOf(propertiesOf(event)[`$group_${group}`]) || null;
  if (text === "properties.$session_id") return textOf(propertiesOf(event).$session_id) || null;
  if (text !== null && text !== "person_id") return HOGQL_VALUES.get(text)!(event) || null;
  return world.byDistinctId ? event.distinctId : personKey(event, world);
}

function fits(event: TestEvent, node: NaiveNode, world: World): boolean {
  return isOf(event, node, world) && passes(event, node.properties, world);
}

/** Whatever filters the node itself has. */
function isOf(event: TestEvent, node: NaiveNode, world: World): boolean {
  if (node.kind === "GroupNode") return node.nodes.some((one) => fits(event, one, world));
  return isMeant(event, node, world);
}

/** The first event of each actor that is of a step, where it may count; null where all count. */
function firstsOf(query: NaiveFunnel, step: NaiveFunnelStep, { period }: Line, world: World): Set<TestEvent> | null {
  if (step.math === undefined || !step.math.startsWith("first_time_for_user")) return null;
  const filters = [...step.properties, ...filtersOf(query, world)];
  const isMatching = step.math === "first_time_for_user_with_filters";
  const candidates = world.events.filter((event) => {
    if (event.timestampMs > period.toMs || actorOf(event, query, world) === null || !isOf(event, step, world))
      return false;
    return !isMatching || passes(event, filters, world);
  });
  const firsts = [...Map.groupBy(candidates, (event) => actorOf(event, query, world)).values()].map((own) =>
    own.reduce((first, event) => {
      const before = event.timestampMs - first.timestampMs || (event.uuid! < first.uuid! ? -1 : 1);
      return before < 0 ? event : first;
    }),
  );
  return new Set(firsts.filter((event) => passes(event, filters, world)));
}

const bitsWhere = <T>(items: T[], holds: (item: T, i: number) => boolean): number =>
  items.reduce((bits, item, i) => bits + (holds(item, i) ? 2 ** i : 0), 0);
