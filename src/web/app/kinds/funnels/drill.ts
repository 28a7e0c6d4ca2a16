import { formatDuration } from "../../format/number.ts";
import type { Drill } from "../drill.ts";
import { nameOfPlace } from "../parts/axis.ts";
import { countOf, titleOf } from "../parts/counts.ts";
import { type Bin, type Of, type StepGroup, stepName, type TrendItem } from "./answer.ts";
import { type FunnelsNode, requiredBefore } from "./node.ts";
import { pathsOfStep } from "./stepPaths.ts";

/** What all values beyond the limit are called together. */
const OTHER = "Other";

/** A number of people behind a value; of the others together null where one person may be counted for several of them. */
function countIn(node: FunnelsNode, { value }: Of, count: number): number | null {
  const { breakdownAttributionType: type = "first_touch" } = node.funnelsFilter ?? {};
  const isOnce = type === "first_touch" || type === "last_touch";
  return [value].flat()[0] === OTHER && !isOnce ? null : countOf(node, count);
}

const sourceOf = (node: FunnelsNode, of: Of, part: Record<string, unknown>): Drill["source"] => ({
  kind: "FunnelsActorsQuery",
  source: node,
  ...part,
  ...(of.value !== undefined && { funnelStepBreakdown: of.value }),
  ...(of.isPrevious && { compare: "previous" }),
});

/** Those who came to a step, counted from 0; or who came to the required one before and not to it. */
export function stepDrill(node: FunnelsNode, group: StepGroup, step: number, isDropped: boolean): Drill {
  const name = stepName(node, group.steps[step]!, step);
  const { count } = group.steps[step]!;
  // Paths are those of the current period.
  const further = (isOfDropped: boolean) => (group.isPrevious ? {} : { paths: pathsOfStep(node, step, isOfDropped) });
  if (!isDropped || step === 0) {
    return {
      title: titleOf(`Step ${step + 1}: ${name}`, group.label),
      count: countIn(node, group, count),
      source: sourceOf(node, group, { funnelStep: step + 1 }),
      ...further(false),
    };
  }
  const before = group.steps[requiredBefore(node, step)]!.count;
  return {
    title: titleOf(`Dropped off before step ${step + 1}: ${name}`, group.label),
    count: countIn(node, group, before - count),
    source: sourceOf(node, group, { funnelStep: -(step + 1) }),
    ...further(true),
  };
}

/** Those who began in an interval and converted, or dropped off. */
export function trendDrill(
  node: FunnelsNode,
  series: Of & { item: TrendItem },
  index: number,
  o: { isDropped: boolean; when: string; zone: string },
): Drill {
  const { days, reached_from_step_count: from, reached_to_step_count: to } = series.item;
  const count = o.isDropped ? from[index]! - to[index]! : to[index]!;
  return {
    title: titleOf(o.isDropped ? "Dropped off" : "Converted", o.when, series.label),
    count: countIn(node, series, count),
    source: sourceOf(node, series, {
      funnelTrendsEntrancePeriodStart: nameOfPlace(days, index, o.zone),
      funnelTrendsDropOff: o.isDropped,
    }),
  };
}

/** The times of a bin: "1m–2m". */
export const binLabel = ({ fromS, toS }: Bin): string => `${formatDuration(fromS)}–${formatDuration(toS)}`;

/** Those who took so long. */
export function binDrill(node: FunnelsNode, of: Of, bin: Bin): Drill {
  return {
    title: titleOf(`Converted in ${binLabel(bin)}`, of.label),
    count: countOf(node, bin.count),
    source: sourceOf(
      node,
      { ...of, value: undefined },
      { funnelConversionTimeFrom: bin.fromS, funnelConversionTimeTo: bin.toS },
    ),
  };
}
