import type { QueryAnswer } from "../../api/node.ts";
import type { AnswerTable, RowMark } from "../table.ts";
import { labelsOf } from "./axis.ts";
import { displayOf } from "./displays.ts";
import { type Line, linesOf } from "./lines.ts";
import type { TrendsNode } from "./types.ts";

/** The numbers of a trend: a row for each line, with its sum and a column for each place of the axis. */
export function tableOf(node: TrendsNode, answer: QueryAnswer): AnswerTable {
  const lines = linesOf(node, answer);
  const hasDays = lines.some(({ item }) => item.data.length > 0);
  const hasPeriods = lines.some(({ isPrevious }) => isPrevious);
  const first = lines[0]?.item;
  const name = { label: "Series", isNumber: false };
  const period = hasPeriods ? [{ label: "Period", isNumber: false }] : [];
  const start = (line: Line) => [line.label, ...(hasPeriods ? [line.isPrevious ? "Previous" : "Current"] : [])];
  if (!hasDays) {
    return {
      columns: [name, ...period, { label: "Value", isNumber: true }],
      rows: lines.map((line) => [...start(line), line.item.aggregated_value ?? line.item.count]),
    };
  }
  const isRunning = displayOf(node).name === "ActionsLineGraphCumulative";
  return {
    columns: [
      name,
      ...period,
      { label: isRunning ? "Last" : "Sum", isNumber: true },
      ...labelsOf(node, first?.days ?? []).map((label) => ({ label, isNumber: true })),
    ],
    rows: lines.map((line) => [...start(line), line.item.count, ...line.item.data]),
  };
}

/** How the rows of the table are marked in the chart. */
export const marksOf = (node: TrendsNode, answer: QueryAnswer): readonly RowMark[] =>
  linesOf(node, answer).map(({ color, isShown }) => ({ color, isShown }));
