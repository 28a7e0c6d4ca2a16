import type { TestEvent } from "../../support/memoryLake.ts";
import { dateOf, instantOf, wallOf } from "./clock.ts";
import { passes } from "./filters.ts";
import { attemptsWithout, type NaiveFunnel, windowOf } from "./funnels.ts";
import { HOGQL_VALUES } from "./hogql.ts";
import { type NaiveRange, periodOf } from "./periods.ts";
import { walk } from "./walk.ts";
import { type NaiveFilter, personKey, propertiesOf, textOf, type World } from "./world.ts";

// A PathsQuery by plain loops over the events, written from docs/queries.md and sharing no code with the engine.

export interface NaivePaths {
  dateRange: NaiveRange;
  properties: NaiveFilter[];
  filterTestAccounts: boolean;
  aggregation_group_type_index: number | null;
  funnelPathsFilter: {
    funnelPathType: "funnel_path_before_step" | "funnel_path_between_steps" | "funnel_path_after_step";
    /** From 1; negative for those who did not do it. */
    funnelStep: number;
    funnelSource: NaiveFunnel;
  } | null;
  pathsFilter: {
    includeEventTypes?: string[];
    pathsHogQLExpression?: string;
    startPoint?: string;
    endPoint?: string;
    pathGroupings?: string[];
    excludeEvents?: string[];
    stepLimit?: number;
    edgeLimit?: number;
    minEdgeWeight?: number;
    maxEdgeWeight?: number;
    pathReplacements?: boolean;
    /** The same in RE2 and in JavaScript. */
    localPathCleaningFilters?: { regex?: string; alias?: string }[];
  };
}

interface Step {
  actor: string;
  item: string;
  atMs: number;
}

export interface NaiveEdge {
  source: string;
  target: string;
  value: number;
  average_conversion_time: number;
}

type Rules = { regex?: string; alias?: string }[];

/** The paths of all actors, as they are shown: each a list of steps, none of them empty. */
export function pathsOf(query: NaivePaths, rules: Rules, world: World): Step[][] {
  const byActor = Map.groupBy(stepsOf(query, rules, world), ({ actor }) => actor);
  const { startPoint, endPoint, stepLimit = 5 } = query.pathsFilter;
  return [...byActor.values()].flatMap((steps) =>
    sessionsOf(steps, pauseOf(query)).flatMap((session) => {
      const path = trimmed(withoutRepeated(session), pointOf(startPoint), pointOf(endPoint), stepLimit);
      return path.length === 0 ? [] : [path];
    }),
  );
}

/** The edges that are answered, in their order. */
export function edgesOf(query: NaivePaths, rules: Rules, world: World): NaiveEdge[] {
  const { minEdgeWeight, maxEdgeWeight, edgeLimit = 50 } = query.pathsFilter;
  const times = new Map<string, number[]>();
  for (const path of pathsOf(query, rules, world)) {
    path.forEach((step, i) => {
      if (i === 0) return;
      const key = JSON.stringify([keyOf(path, i - 1), keyOf(path, i)]);
      times.set(key, [...(times.get(key) ?? []), step.atMs - path[i - 1]!.atMs]);
    });
  }
  const edges = [...times].map(([key, list]): NaiveEdge => {
    const [source, target] = JSON.parse(key);
    const total = list.reduce((sum, ms) => sum + ms, 0);
    return { source, target, value: list.length, average_conversion_time: total / list.length };
  });
  const heavy = edges.filter(
    ({ value }) => (!minEdgeWeight || value >= minEdgeWeight) && (!maxEdgeWeight || value <= maxEdgeWeight),
  );
  const before = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
  heavy.sort((a, b) => b.value - a.value || before(a.source, b.source) || before(a.target, b.target));
  const kept = heavy.slice(0, edgeLimit);
  const isReached = (node: string): boolean =>
    node.startsWith("1_") || kept.some(({ source, target }) => target === node && isReached(source));
  return kept.filter(({ source }) => isReached(source));
}

export interface NaivePart {
  pathStartKey?: string;
  pathEndKey?: string;
  pathDropoffKey?: string;
}

/** How often each actor took a part. */
export function behind(query: NaivePaths, part: NaivePart, rules: Rules, world: World): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of pathsOf(query, rules, world)) {
    path.forEach(({ actor }, i) => {
      const isIt =
        part.pathDropoffKey !== undefined
          ? i === path.length - 1 && keyOf(path, i) === part.pathDropoffKey
          : (part.pathStartKey === undefined || (i > 0 && keyOf(path, i - 1) === part.pathStartKey)) &&
            (part.pathEndKey === undefined || keyOf(path, i) === part.pathEndKey);
      if (isIt) counts.set(actor, (counts.get(actor) ?? 0) + 1);
    });
  }
  return counts;
}

const keyOf = (path: Step[], i: number): string => `${i + 1}_${path[i]!.item}`;

/** A URL at which paths begin or end may be written with a slash at its end. */
function pointOf(point: string | undefined): string | null {
  if (point === undefined || point === "") return null;
  return point.length > 1 && point.endsWith("/") ? point.slice(0, -1) : point;
}

/** What everybody did, in order of time; of events at one instant the smaller uuid is first. */
function stepsOf(query: NaivePaths, rules: Rules, world: World): Step[] {
  const isAll = query.dateRange.date_from === "all";
  const period = periodOf(isAll ? {} : query.dateRange, "day", false, world);
  const fromMs = isAll
    ? Number.NEGATIVE_INFINITY
    : instantOf(dateOf(wallOf(period.fromMs, world.timezone)), world.timezone);
  const filters = [...query.properties, ...(query.filterTestAccounts ? world.testAccountFilters : [])];
  const { includeEventTypes: types = [], excludeEvents = [] } = query.pathsFilter;
  const isIn = isAsked(query, world);
  const order = (event: TestEvent): string =>
    `${String(event.timestampMs + 1e15).padStart(20, "0")} ${event.uuid!.toLowerCase()}`;
  return world.events
    .filter((event) => event.timestampMs >= fromMs && event.timestampMs <= period.toMs)
    .filter((event) => isOfTypes(event, types) && passes(event, filters, world))
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    .flatMap((event) => {
      const actor = actorOf(event, query, world);
      const item = grouped(cleaned(itemOf(event, query), rules), query.pathsFilter.pathGroupings ?? []);
      if (actor === null || !isIn(actor, event.timestampMs) || (types.length > 0 && excludeEvents.includes(item)))
        return [];
      return [{ actor, item, atMs: event.timestampMs }];
    });
}

function isOfTypes({ event }: TestEvent, types: string[]): boolean {
  const named = types.filter((type) => type !== "hogql");
  if (named.length === 0) return true;
  return named.some((type) => (type === "custom_event" ? !event.startsWith("$") : event === type));
}

function actorOf(event: TestEvent, query: NaivePaths, world: World): string | null {
  const index = query.aggregation_group_type_index;
  if (index !== null) return textOf(propertiesOf(event)[`$group_${index}`]) || null;
  return world.byDistinctId ? event.distinctId : personKey(event, world);
}

function itemOf(event: TestEvent, { pathsFilter: filter }: NaivePaths): string {
  const { includeEventTypes: types = [], excludeEvents = [], pathsHogQLExpression: text } = filter;
  const isShown = (type: string): boolean =>
    types.length === 0 ? !excludeEvents.includes(type) : types.includes(type);
  const own = propertiesOf(event);
  if (event.event === "$screen" && isShown("$screen")) return textOf(own.$screen_name) ?? "";
  if (event.event === "$pageview" && isShown("$pageview")) {
    const url = textOf(own.$current_url) ?? "";
    return url.length > 1 && url.endsWith("/") ? url.slice(0, -1) : url;
  }
  return text !== undefined && isShown("hogql") ? HOGQL_VALUES.get(text)!(event) : event.event;
}

const cleaned = (item: string, rules: Rules): string =>
  rules.reduce(
    (path, { regex, alias = "" }) =>
      regex === undefined ? path : path.replaceAll(new RegExp(regex, "g"), alias.replaceAll("\\1", "$1")),
    item,
  );

/** A wildcard matches a part of an item. */
function grouped(item: string, wildcards: string[]): string {
  const matches = (wildcard: string): boolean => {
    let from = 0;
    for (const piece of wildcard.split("*")) {
      const at = item.indexOf(piece, from);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return true;
  };
  return wildcards.find(matches) ?? item;
}

/** What ends a session: a pause of half an hour, or as long as the window of the funnel. */
const pauseOf = ({ funnelPathsFilter: funnel }: NaivePaths): number =>
  funnel === null ? 1_800_000 : windowOf(funnel.funnelSource);

/** Whether the funnel, where there is one, lets an event of an actor count. */
function isAsked({ funnelPathsFilter: funnel }: NaivePaths, world: World): (actor: string, atMs: number) => boolean {
  if (funnel === null) return () => true;
  const { funnelSource: source, funnelStep, funnelPathType: type } = funnel;
  const spans = attemptsWithout(source, world, walk).flatMap(({ actor, timesMs }) => {
    const required = (step: number): number =>
      step > 0 && source.series[step]!.optionalInFunnel ? required(step - 1) : step;
    const asked = Math.abs(funnelStep) - 1;
    const last = funnelStep < 0 ? required(asked - 1) : asked;
    const lastMs = timesMs[last];
    if (lastMs == null || (funnelStep < 0 && timesMs[asked] != null)) return [];
    if (type === "funnel_path_before_step") return [{ actor, fromMs: -Infinity, toMs: lastMs }];
    if (type === "funnel_path_between_steps") return [{ actor, fromMs: timesMs[required(last - 1)]!, toMs: lastMs }];
    return [{ actor, fromMs: funnelStep < 0 ? lastMs + windowOf(source) : lastMs, toMs: Infinity }];
  });
  return (actor, atMs) => spans.some((one) => one.actor === actor && atMs >= one.fromMs && atMs <= one.toMs);
}

function sessionsOf(steps: Step[], pauseMs: number): Step[][] {
  const sessions: Step[][] = [];
  for (const step of steps) {
    const last = sessions.at(-1)?.at(-1);
    if (last === undefined || step.atMs - last.atMs >= pauseMs) sessions.push([]);
    sessions.at(-1)!.push(step);
  }
  return sessions;
}

/** Of steps that repeat each other the last; none without a name at the end. */
const withoutRepeated = (session: Step[]): Step[] =>
  session.filter(({ item }, i) => item !== (session[i + 1]?.item ?? ""));

function trimmed(path: Step[], start: string | null, end: string | null, limit: number): Step[] {
  const indexOf = (item: string, from = 0): number => path.findIndex((step, i) => i >= from && step.item === item);
  const first = start === null ? 0 : indexOf(start);
  if (first < 0) return [];
  if (end === null) return path.slice(first, first + limit);
  const last = indexOf(end, first);
  if (last < 0) return [];
  const part = path.slice(first, last + 1);
  if (start === null) return part.slice(-limit);
  if (part.length <= limit) return part;
  const half = Math.floor(limit / 2);
  const middle = { ...part[half]!, item: "..." };
  return [...part.slice(0, half), middle, ...part.slice(part.length - half)];
}
