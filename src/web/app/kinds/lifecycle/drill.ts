import type { Drill } from "../drill.ts";
import { nameOfPlace } from "../parts/axis.ts";
import { countOf, titleOf } from "../parts/counts.ts";
import type { LifecycleItem } from "./answer.ts";
import { type LifecycleNode, STATUS } from "./node.ts";

/** Those who have a status in an interval, which is named by `when`, and begins by the clock of a zone. */
export const partDrill = (
  node: LifecycleNode,
  item: LifecycleItem,
  index: number,
  { when, zone }: { when: string; zone: string },
): Drill => ({
  title: titleOf(STATUS[item.status].label, when),
  count: countOf(node, Math.abs(item.data[index]!)),
  source: { kind: "InsightActorsQuery", source: node, day: nameOfPlace(item.days, index, zone), status: item.status },
});
