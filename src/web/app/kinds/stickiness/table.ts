import type { QueryAnswer } from "../../api/node.ts";
import type { AnswerTable } from "../kind.ts";
import { axisOf, itemLabel, itemsOf } from "./answer.ts";
import type { StickinessNode } from "./node.ts";

/** A row for each series, a column for each number of intervals. */
export function stickinessTable(node: StickinessNode, answer: QueryAnswer): AnswerTable {
  const items = itemsOf(answer);
  const axis = axisOf(items);
  const number = (label: string) => ({ label, isNumber: true });
  return {
    columns: [{ label: "Series", isNumber: false }, ...axis.map(number), number("All")],
    rows: items.map((item) => [itemLabel(node, item), ...axis.map((_, i) => item.data[i] ?? null), item.count]),
  };
}
