import { breakdownName, isOther } from "../../format/name.ts";
import type { Drill } from "../drill.ts";
import { countOf, titleOf } from "../parts/counts.ts";
import type { Cohort, RetentionTable } from "./answer.ts";
import type { RetentionNode } from "./node.ts";

/** Those of a cohort who came back in a column; of column 0 the whole cohort. `when`: the cohort in words. */
export function cellDrill(
  node: RetentionNode,
  { value, columns }: RetentionTable,
  cohort: Cohort,
  column: number,
  when: string,
): Drill {
  const isValue = value !== null && value !== undefined;
  const isCounted = !isOther(value) && (node.retentionFilter.aggregationType ?? "count") === "count";
  const name = isValue ? breakdownName(value) : "";
  return {
    title: titleOf(column === 0 ? `Began ${when}` : `Began ${when}, back in ${columns[column]!.toLowerCase()}`, name),
    count: isCounted ? countOf(node, cohort.item.values[column]!.count) : null,
    source: {
      kind: "InsightActorsQuery",
      source: node,
      interval: cohort.index,
      ...(column > 0 && { column }),
      ...(isValue && { breakdown: value }),
    },
  };
}
