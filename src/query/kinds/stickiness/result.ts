import { scaled } from "../../insight/sampling.ts";
import type { Line, StickinessPlan } from "./plan.ts";

/** What `stickinessTree` gives: of a line how many actors were active in so many intervals. */
export type StickinessRow = [line: number, intervals: number, actors: number];

/** One series in one period of the answer (docs/queries.md#stickinessquery). */
export interface StickinessItem {
  /** How many actors were active in one interval, in two, and so on; of cumulative ones in so many or more. */
  data: number[];
  /** How many intervals. */
  days: number[];
  labels: string[];
  /** All who were active. */
  count: number;
  label: string;
  action: Record<string, unknown>;
  compare?: true;
  compare_label?: "current" | "previous";
}

/** An item for each line, in order; numbers of intervals in which nobody was active as zero. */
export function stickinessItems(plan: StickinessPlan, rows: readonly StickinessRow[]): StickinessItem[] {
  const data = plan.lines.map(({ intervals }) => new Array<number>(intervals).fill(0));
  for (const [line, intervals, actors] of rows) data[line]![intervals - 1] = scaled(actors, plan.samplingFactor, "dau");
  return plan.lines.map((line, i) => itemOf(plan, line, data[i]!));
}

function itemOf({ interval, isCumulative, periods }: StickinessPlan, line: Line, data: number[]): StickinessItem {
  const { series, period } = line;
  const label = series.name ?? "All events";
  const days = data.map((_, i) => i + 1);
  const end = isCumulative ? " or more" : "";
  return {
    data: isCumulative ? sumsToEnd(data) : data,
    days,
    labels: days.map((day) => `${day} ${interval}${day === 1 ? "" : "s"}${end}`),
    count: data.reduce((sum, value) => sum + value, 0),
    label,
    action: {
      id: series.name,
      type: series.node.kind === "ActionsNode" ? "actions" : "events",
      order: series.order,
      name: label,
      custom_name: series.node.custom_name ?? null,
      math: series.node.math ?? null,
    },
    ...(periods.length > 1 && ({ compare: true, compare_label: period.label } as const)),
  };
}

/** At each place the sum of it and all behind it. */
function sumsToEnd(data: readonly number[]): number[] {
  let sum = 0;
  return data
    .toReversed()
    .map((value) => (sum += value))
    .toReversed();
}
