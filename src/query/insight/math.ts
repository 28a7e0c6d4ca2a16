import type { GroupIndex } from "../../types/mod.ts";
import { subjectOf } from "../filter/subjects.ts";
import { arithmetic, call, constant, parametric } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { groupIndexOf } from "../source/lookups.ts";
import type { Interval } from "../time/dates.ts";
import type { SeriesNode } from "./series.ts";

/** An aggregate of HogQL: numbers to one. */
export interface Aggregate {
  name: string;
  params: number[];
}

/** How a series turns the events of a bucket into a number (docs/queries.md#maths). */
export type SeriesMath =
  | { kind: "count" }
  | { kind: "actors" }
  /** Actors of the bucket's day and the days before it, `days` in all. */
  | { kind: "active"; days: number }
  /** Actors who did it for the first time; `isMatching`: the first time that met the filters. */
  | { kind: "first"; isMatching: boolean }
  | { kind: "sessions" }
  | { kind: "groups"; index: GroupIndex }
  | { kind: "property"; aggregate: Aggregate }
  | { kind: "sessionDuration"; aggregate: Aggregate }
  | { kind: "countPerActor"; aggregate: Aggregate }
  | { kind: "hogql"; text: string };

const AGGREGATES: Record<string, Aggregate> = {
  sum: { name: "sum", params: [] },
  avg: { name: "avg", params: [] },
  min: { name: "min", params: [] },
  max: { name: "max", params: [] },
  median: { name: "quantile", params: [0.5] },
  p75: { name: "quantile", params: [0.75] },
  p90: { name: "quantile", params: [0.9] },
  p95: { name: "quantile", params: [0.95] },
  p99: { name: "quantile", params: [0.99] },
};

/** A call of an aggregate, of the rows that meet `when`. */
export function aggregated(
  { name, params }: Aggregate,
  args: Expression[],
  when: Expression | null = null,
): Expression {
  const [called, all] = when === null ? [name, args] : [`${name}If`, [...args, when]];
  return params.length === 0 ? call(called, ...all) : parametric(called, params, ...all);
}

const PER_ACTOR = "_count_per_actor";
/** Maths of a window of days; where buckets are at least so long, they count the actors of the bucket. */
const WINDOWS: Record<string, { days: number; plain: readonly Interval[] }> = {
  weekly_active: { days: 7, plain: ["week", "month", "quarter", "year"] },
  monthly_active: { days: 30, plain: ["month", "quarter", "year"] },
};

/** The math of a series. `interval` is null for a total. Errors: TerminalError `invalid_query` that names the place. */
export function readMath(node: SeriesNode, interval: Interval | null, place: string): SeriesMath {
  const math = node.math ?? "total";
  const window = Object.hasOwn(WINDOWS, math) ? WINDOWS[math] : undefined;
  if (window !== undefined) {
    const isPlain = interval !== null && window.plain.includes(interval);
    return isPlain ? { kind: "actors" } : { kind: "active", days: window.days };
  }
  switch (math) {
    case "total":
      return { kind: "count" };
    case "dau":
      return { kind: "actors" };
    case "unique_session":
      return { kind: "sessions" };
    case "unique_group":
      return { kind: "groups", index: groupOf(node, place) };
    case "first_time_for_user":
      return { kind: "first", isMatching: false };
    case "first_matching_event_for_user":
      return { kind: "first", isMatching: true };
    case "hogql":
      if (!node.math_hogql) throw invalidQuery(`${place}.math_hogql`, 'the math "hogql" needs an expression');
      return { kind: "hogql", text: node.math_hogql };
  }
  const isPerActor = math.endsWith(PER_ACTOR) && math !== `sum${PER_ACTOR}`;
  const name = isPerActor ? math.slice(0, -PER_ACTOR.length) : math;
  const aggregate = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
  if (aggregate === undefined) throw notSupported(`${place}.math`, `the math ${shown(math)}`);
  if (isPerActor) return { kind: "countPerActor", aggregate };
  if (!node.math_property) throw invalidQuery(`${place}.math_property`, `the math "${math}" needs a property`);
  if (node.math_property_revenue_currency != null) {
    throw notSupported(`${place}.math_property_revenue_currency`, "converting currencies");
  }
  return { kind: node.math_property === SESSION_DURATION ? "sessionDuration" : "property", aggregate };
}

const SESSION_DURATION = "$session_duration";

function groupOf(node: SeriesNode, place: string): GroupIndex {
  const index = groupIndexOf(node.math_group_type_index);
  if (index === null) {
    throw invalidQuery(`${place}.math_group_type_index`, `must be 0 to 4, not ${shown(node.math_group_type_index)}`);
  }
  return index;
}

/** Whose property a math reads, in the words of filters. */
const OWNERS: Record<string, string> = {
  event_properties: "event",
  person_properties: "person",
  group_properties: "group",
  session_properties: "session",
};

/**
 * The number of each row that the math of a property is about; a text that is none is NULL.
 * Errors: TerminalError `invalid_query`.
 */
export function numberIn(node: SeriesNode, context: QueryContext, place: string): Expression {
  const key = node.math_property ?? "";
  const given = node.math_property_type ?? "event_properties";
  const isSession = key === SESSION_DURATION;
  const type = isSession ? "session" : Object.hasOwn(OWNERS, given) ? OWNERS[given]! : null;
  if (type === null) throw notSupported(`${place}.math_property_type`, shown(given));
  const groupTypeIndex = node.math_group_type_index ?? null;
  const { text, number } = subjectOf({ type, key, groupTypeIndex }, context, `${place}.math_property`);
  // Seconds since 1970 of a time, which may be written as such.
  const isTime = key === "$time" && type === "event";
  const one = isTime ? call("coalesce", number, call("toFloat", call("toDateTime", text))) : number;
  const factor = node.math_multiplier ?? 1;
  return factor === 1 ? one : arithmetic(one, "*", constant(factor));
}
