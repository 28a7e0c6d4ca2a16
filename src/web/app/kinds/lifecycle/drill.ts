import type { Drill } from "../drill.ts";
import { countOf, titleOf } from "../parts/counts.ts";
import type { LifecycleItem } from "./answer.ts";
import { type LifecycleNode, STATUS } from "./node.ts";

/** Those who have a status in an interval. */
export const partDrill = (node: LifecycleNode, item: LifecycleItem, index: number, when: string): Drill => ({
  title: titleOf(STATUS[item.status].label, when),
  count: countOf(node, Math.abs(item.data[index]!)),
  source: { kind: "InsightActorsQuery", source: node, day: item.days[index]!, status: item.status },
});
