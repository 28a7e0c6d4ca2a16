import type { QueryAnswer } from "../../api/node.ts";
import type { AnswerTable, RowMark } from "../table.ts";
import { labelsOf } from "./axis.ts";
import { type Calendar, calendarOf } from "./calendar.ts";
import { displayOf } from "./displays.ts";
import { type Line, linesOf } from "./lines.ts";
import { itemsOf, type TrendsNode } from "./types.ts";

/** The numbers of a trend: a row for each line, with its sum and a column for each place of the axis. */
export function tableOf(node: TrendsNode, answer: QueryAnswer): AnswerTable {
  const lines = linesOf(node, answer);
  const calendar = calendarOf(lines[0]?.item);
  if (calendar !== null) return calendarTable(calendar);
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

const calendarTable = ({ rows, columns }: Calendar): AnswerTable => ({
  columns: [
    { label: "Weekday", isNumber: false },
    { label: "All day", isNumber: true },
    ...columns.map((label) => ({ label, isNumber: true })),
  ],
  rows: rows.map(({ label, total, values }) => [label, total, ...values]),
});

/** How the rows of the table are marked in the chart. A calendar has no lines. */
export const marksOf = (node: TrendsNode, answer: QueryAnswer): readonly RowMark[] =>
  calendarOf(itemsOf(answer)[0]) !== null
    ? []
    : linesOf(node, answer).map(({ color, isShown }) => ({ color, isShown }));
