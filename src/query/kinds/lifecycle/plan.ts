import type { Period } from "../../insight/axis.ts";
import { type Insight, insightOf } from "../../insight/insight.ts";
import type { Line } from "../../insight/lines.ts";
import { intervalOf, rangesOf } from "../../insight/ranges.ts";
import { nameOf } from "../../insight/series.ts";
import type { QueryContext } from "../../source/context.ts";
import { type Buckets, bucketsOf, isOfClock, startOfInterval } from "../../time/buckets.ts";
import type { DateRange, Interval } from "../../time/dates.ts";
import type { LifecycleQuery } from "./node.ts";

/** What a LifecycleQuery asks, with every option resolved. */
export interface LifecyclePlan extends Insight {
  query: LifecycleQuery;
  range: DateRange;
  /** The buckets of the answer. */
  shown: Buckets;
  /** How many of those that are read come before them: who was active then may be returning or dormant. */
  before: number;
  /** Its period has whole intervals only, and one before the range. */
  line: Line;
  /** Null for all events. */
  name: string | null;
}

/** Resolves a node. Errors: TerminalError `invalid_query` that names the option. */
export function planLifecycle(query: LifecycleQuery, context: QueryContext, earliestMs: number | null): LifecyclePlan {
  const interval = intervalOf(query);
  const range = rangesOf(query, context, { earliestMs })[0]!;
  const period = periodRead(range, interval, context);
  const shown = shownOf(query, range, bucketsOf(range, interval, context));
  const node = query.series[0];
  return {
    ...insightOf(query, context),
    query,
    range,
    shown,
    before: period.buckets!.starts.length - shown.starts.length,
    line: { series: { node, math: { kind: "actors" }, place: "series.0" }, period, cohort: null },
    name: nameOf(node, context),
  };
}

/** The whole intervals that a range touches, and the one before them. */
function periodRead(range: DateRange, interval: Interval, context: QueryContext): Period {
  const first = startOfInterval(range.from, interval, context.weekStartDay);
  const buckets = bucketsOf({ from: first.subtract({ milliseconds: 1 }), to: range.to }, interval, context);
  const { edgesMs } = buckets;
  return {
    label: "current",
    range,
    fromMs: edgesMs[0]!,
    toMs: edgesMs.at(-1)! - 1,
    buckets,
    isOfDays: !isOfClock(interval),
  };
}

/** A range that is meant to the instant shows no interval that begins before it. */
function shownOf({ dateRange }: LifecycleQuery, { from }: DateRange, buckets: Buckets): Buckets {
  const isCut = dateRange?.explicitDate === true && (buckets.edgesMs[0] ?? 0) < from.epochMilliseconds;
  if (!isCut) return buckets;
  const { interval, edgesMs, days, labels, starts } = buckets;
  return {
    interval,
    edgesMs: edgesMs.slice(1),
    days: days.slice(1),
    labels: labels.slice(1),
    starts: starts.slice(1),
  };
}
