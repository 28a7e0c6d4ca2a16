import type { EntityNode, SeriesNode } from "../../question/types.ts";
import { withMembers } from "../parts/members.ts";

/** An event or an action that ends an attempt between two steps, counted from 0. */
export interface Exclusion extends EntityNode {
  funnelFromStep: number;
  funnelToStep: number;
}

/** docs/queries.md, "FunnelsQuery". */
export interface FunnelsFilter {
  funnelVizType?: "steps" | "time_to_convert" | "trends";
  funnelOrderType?: "ordered" | "strict" | "unordered";
  funnelWindowInterval?: number;
  funnelWindowIntervalUnit?: "second" | "minute" | "hour" | "day" | "week" | "month";
  funnelFromStep?: number;
  funnelToStep?: number;
  exclusions?: readonly Exclusion[];
  breakdownAttributionType?: "first_touch" | "last_touch" | "all_events" | "step";
  breakdownAttributionValue?: number;
  funnelAggregateByHogQL?: string;
  binCount?: number;
  /** For the eye alone. */
  layout?: "vertical" | "horizontal";
  [member: string]: unknown;
}

export interface FunnelsNode extends SeriesNode {
  kind: "FunnelsQuery";
  funnelsFilter?: FunnelsFilter;
}

/** The time to convert where none is set. */
export const DEFAULT_WINDOW = { count: 14, unit: "day" } as const;

/** What of a funnel is shown: its steps, times, or the conversion over time. */
export const shapeOf = ({ funnelsFilter }: FunnelsNode) => funnelsFilter?.funnelVizType ?? "steps";

const UNIT_MS = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 31 * 86_400_000,
} as const;

/** How long an attempt may take. */
export const windowMsOf = ({ funnelsFilter: filter = {} }: FunnelsNode): number =>
  (filter.funnelWindowInterval ?? DEFAULT_WINDOW.count) *
  UNIT_MS[filter.funnelWindowIntervalUnit ?? DEFAULT_WINDOW.unit];

/** The part of a funnel that trends and times are about, counted from 0. */
export function rangeOf({ series, funnelsFilter }: FunnelsNode): { from: number; to: number } {
  return { from: funnelsFilter?.funnelFromStep ?? 0, to: funnelsFilter?.funnelToStep ?? series.length - 1 };
}

/** The last required step before one; the first step is required. */
export const requiredBefore = ({ series }: FunnelsNode, step: number): number =>
  Math.max(
    0,
    series.findLastIndex(({ optionalInFunnel }, i) => i < step && optionalInFunnel !== true),
  );

/** The same node with members of its filter set; those set to undefined are left out. */
export const withFilter = (node: FunnelsNode, filter: Partial<FunnelsFilter>): FunnelsNode => ({
  ...node,
  funnelsFilter: withMembers(node.funnelsFilter, filter),
});

/**
 * The same node after its steps were changed, with all that names a step brought into what there is: a range beyond the steps, an
 * exclusion, an attribution, optional steps where there can be none.
 */
export function settled(node: FunnelsNode): FunnelsNode {
  const { funnelsFilter: filter = {} } = node;
  const last = node.series.length - 1;
  const isUnordered = filter.funnelOrderType === "unordered";
  const canSkip = shapeOf(node) === "steps" && !isUnordered;
  const { funnelFromStep: from, funnelToStep: to } = filter;
  const isRangeKept = (from ?? 0) < (to ?? last) && (to ?? last) <= last;
  const exclusions = (filter.exclusions ?? []).flatMap((one): Exclusion[] => {
    if (isUnordered) return last < 1 ? [] : [{ ...one, funnelFromStep: 0, funnelToStep: last }];
    const toStep = Math.min(one.funnelToStep, last);
    return one.funnelFromStep < toStep ? [{ ...one, funnelToStep: toStep }] : [];
  });
  const step = filter.breakdownAttributionValue;
  const series = node.series.map((entity, i) => {
    if (entity.optionalInFunnel !== true || (i > 0 && canSkip)) return entity;
    const { optionalInFunnel: _, ...rest } = entity;
    return rest;
  });
  return withFilter(
    { ...node, series },
    {
      funnelFromStep: isRangeKept ? from : undefined,
      funnelToStep: isRangeKept ? to : undefined,
      exclusions: exclusions.length > 0 ? exclusions : undefined,
      breakdownAttributionValue: step === undefined ? undefined : Math.min(step, isUnordered ? 0 : last),
    },
  );
}
