import type { Past } from "../../insight/axis.ts";
import { type Insight, insightOf } from "../../insight/insight.ts";
import { rangesOf } from "../../insight/ranges.ts";
import type { QueryContext } from "../../source/context.ts";
import type { DateRange } from "../../time/dates.ts";
import type { PathsFunnel } from "./funnel.ts";
import type { ITEM_TYPES, PathsFilter, PathsQuery } from "./node.ts";

type ItemType = (typeof ITEM_TYPES)[number];

const PAUSE_MS = 30 * 60_000;
const DEFAULT_STEPS = 5;
const DEFAULT_EDGES = 50;

/** What a PathsQuery asks, with every option resolved. */
export interface PathsPlan extends Insight {
  filter: PathsFilter;
  range: DateRange;
  /** From the beginning of the first day on. */
  span: Past & { fromMs: number };
  /** The items that a path begins with, and ends with; null for any. */
  start: string | null;
  end: string | null;
  /** A pause so long ends a path. */
  pauseMs: number;
  /** The funnel whose actors the paths are of; null for all actors. */
  funnel: PathsFunnel | null;
  stepLimit: number;
  edgeLimit: number;
}

/** Errors: TerminalError `invalid_query`. */
export function planPaths(
  query: PathsQuery,
  context: QueryContext,
  { earliestMs, funnel }: { earliestMs: number | null; funnel: PathsFunnel | null },
): PathsPlan {
  const filter = query.pathsFilter ?? {};
  const [range] = rangesOf(query, context, { earliestMs });
  const { from, to } = range!;
  return {
    ...insightOf(query, context),
    filter,
    range: { from: from.startOfDay(), to },
    span: { fromMs: from.startOfDay().epochMilliseconds, toMs: to.epochMilliseconds },
    start: pointOf(filter.startPoint),
    end: pointOf(filter.endPoint),
    // An actor takes a path through a funnel for as long as it may convert.
    pauseMs: funnel?.plan.program.windowMs ?? PAUSE_MS,
    funnel,
    stepLimit: filter.stepLimit ?? DEFAULT_STEPS,
    edgeLimit: filter.edgeLimit ?? DEFAULT_EDGES,
  };
}

/** Items that are URLs have no slash at their end. */
function pointOf(point: string | null | undefined): string | null {
  if (point == null || point === "") return null;
  return point.length > 1 && point.endsWith("/") ? point.slice(0, -1) : point;
}

/** The types of events that paths are made of; none for all events. */
export const typesOf = ({ includeEventTypes }: PathsFilter): readonly ItemType[] => includeEventTypes ?? [];

/** Whether items of a type are told by what they stand for: a URL, a screen, an expression. With all events that can be ruled out. */
export function showsType(filter: PathsFilter, type: ItemType): boolean {
  const types = typesOf(filter);
  return types.length === 0 ? !(filter.excludeEvents ?? []).includes(type) : types.includes(type);
}

/** The HogQL that items are; null for the names of events. */
export function expressionOf(filter: PathsFilter): string | null {
  return showsType(filter, "hogql") ? filter.pathsHogQLExpression || null : null;
}
