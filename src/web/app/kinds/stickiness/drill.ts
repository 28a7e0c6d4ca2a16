import type { Drill } from "../drill.ts";
import { countOf, titleOf } from "../parts/counts.ts";
import { isPrevious, itemLabel, type StickinessItem } from "./answer.ts";
import type { StickinessNode } from "./node.ts";

/** Those who were active in so many intervals; of a cumulative answer in so many or more. */
export const barDrill = (node: StickinessNode, item: StickinessItem, index: number): Drill => ({
  title: titleOf(itemLabel(node, item), `active in ${item.labels[index]!}`),
  count: countOf(node, item.data[index]!),
  source: {
    kind: "StickinessActorsQuery",
    source: node,
    day: item.days[index]!,
    series: item.action.order,
    ...(isPrevious(item) && { compare: "previous" }),
  },
});
