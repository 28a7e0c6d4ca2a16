import type { QueryAnswer } from "../../api/node.ts";
import type { AnswerTable } from "../kind.ts";
import { axisOf } from "../parts/axis.ts";
import { shownItems } from "./answer.ts";
import { type LifecycleNode, STATUS } from "./node.ts";

/** A row for each status, a column for each interval. */
export function lifecycleTable(node: LifecycleNode, answer: QueryAnswer): AnswerTable {
  const items = shownItems(node, answer);
  const axis = axisOf(items[0]?.days ?? [], node.interval);
  return {
    columns: [{ label: "Status", isNumber: false }, ...axis.map((label) => ({ label, isNumber: true }))],
    rows: items.map(({ status, data }) => [STATUS[status].label, ...data]),
  };
}
