import type { QueryAnswer } from "../../api/node.ts";
import type { AnswerTable } from "../kind.ts";
import { graphOf } from "./answer.ts";
import type { PathsNode } from "./node.ts";

/** The edges, those most used first. */
export function pathsTable(node: PathsNode, answer: QueryAnswer): AnswerTable {
  const { steps, links } = graphOf(node, answer);
  return {
    columns: [
      { label: "Step", isNumber: true },
      { label: "From", isNumber: false },
      { label: "To", isNumber: false },
      { label: "Times", isNumber: true },
      { label: "Average time, s", isNumber: true },
    ],
    rows: links.map(({ source, target, edge }) => [
      steps[source]!.layer + 1,
      steps[source]!.label,
      steps[target]!.label,
      edge.value,
      Math.round(edge.average_conversion_time / 100) / 10,
    ]),
  };
}
