import { scaled } from "../../insight/sampling.ts";
import { STATUSES, type Status } from "./node.ts";
import type { LifecyclePlan } from "./plan.ts";

/** What `lifecycleTree` gives: the number of a bucket, and how many actors have each status, dormant in the next one. */
export type LifecycleRow = [bucket: number, ...counts: [number, number, number, number]];

/** One status of the answer (docs/queries.md#lifecyclequery). */
export interface LifecycleItem {
  status: Status;
  label: string;
  /** By bucket; of dormant actors below zero. */
  data: number[];
  /** Sum of data. */
  count: number;
  labels: string[];
  days: string[];
  action: Record<string, unknown>;
}

/** The four statuses from the rows, empty buckets as zero. */
export function lifecycleItems(plan: LifecyclePlan, rows: readonly LifecycleRow[]): LifecycleItem[] {
  const { shown, before, name, line, samplingFactor } = plan;
  const { node } = line.series;
  const label = name ?? "All events";
  const action = {
    id: node.kind === "ActionsNode" ? String(node.id) : name,
    name: label,
    type: node.kind === "ActionsNode" ? "actions" : "events",
    order: 0,
    math: "total",
    ...(node.custom_name != null && { custom_name: node.custom_name }),
  };
  return STATUSES.map((status, i) => {
    const data = new Array<number>(shown.starts.length).fill(0);
    const isDormant = status === "dormant";
    for (const [bucket, ...counts] of rows) {
      const place = bucket - before + (isDormant ? 1 : 0);
      const count = scaled(counts[i]!, samplingFactor, "dau");
      if (place in data && count !== 0) data[place] = isDormant ? -count : count;
    }
    const count = data.reduce((sum, value) => sum + value, 0);
    return { status, label: `${label} - ${status}`, data, count, labels: shown.labels, days: shown.days, action };
  });
}
