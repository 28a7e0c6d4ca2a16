import type { QueryAnswer } from "../../api/node.ts";
import { breakdownName } from "../../format/name.ts";
import type { AnswerTable } from "../kind.ts";
import { tablesOf } from "./answer.ts";
import { cohortLabels } from "./labels.ts";
import type { RetentionNode } from "./node.ts";

/** The cohorts below each other; of each column how many came back. Times that have not come are empty. */
export function retentionTable(node: RetentionNode, answer: QueryAnswer): AnswerTable {
  const tables = tablesOf(node, answer);
  const areTold = tables.some(({ value }) => value !== null);
  const number = (label: string) => ({ label, isNumber: true });
  const isSummed = (node.retentionFilter.aggregationType ?? "count") !== "count";
  return {
    columns: [
      ...(areTold ? [{ label: "Value", isNumber: false }] : []),
      { label: "Cohort", isNumber: false },
      number("Size"),
      ...(tables[0]?.columns ?? []).slice(isSummed ? 0 : 1).map(number),
    ],
    rows: tables.flatMap(({ value, cohorts }) => {
      const labels = cohortLabels(node, answer, cohorts);
      return cohorts.map(({ size, cells }, i) => [
        ...(areTold ? [breakdownName(value)] : []),
        labels[i]!,
        size,
        ...cells.slice(isSummed ? 0 : 1).map(({ shown }) => shown),
      ]);
    }),
  };
}
