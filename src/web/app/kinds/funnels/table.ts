import type { QueryAnswer } from "../../api/node.ts";
import type { AnswerTable } from "../kind.ts";
import { stepGroups, stepName, timesOf, trendSeries } from "./answer.ts";
import { type FunnelsNode, requiredBefore, shapeOf } from "./node.ts";

const text = (label: string) => ({ label, isNumber: false });
const number = (label: string) => ({ label, isNumber: true });
const percent = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 100;

const tenths = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10);

/** The numbers of a funnel as they are shown. */
export function funnelTable(node: FunnelsNode, answer: QueryAnswer): AnswerTable {
  const shape = shapeOf(node);
  if (shape === "trends") return trendTable(answer);
  return shape === "steps" ? stepTable(node, answer) : timeTable(answer);
}

function stepTable(node: FunnelsNode, answer: QueryAnswer): AnswerTable {
  const groups = stepGroups(answer);
  const areTold = groups.some(({ label }) => label !== "");
  return {
    columns: [
      number("Step"),
      text("Name"),
      ...(areTold ? [text("Value")] : []),
      number("Completed"),
      number("Of first step, %"),
      number("Of step before, %"),
      number("Dropped off"),
      number("Median time, s"),
      number("Average time, s"),
    ],
    rows: groups.flatMap(({ steps, label }) =>
      steps.map((step, i) => {
        const before = i === 0 ? step.count : steps[requiredBefore(node, i)]!.count;
        return [
          i + 1,
          stepName(node, step, i),
          ...(areTold ? [label] : []),
          step.count,
          percent(step.count, steps[0]!.count),
          percent(step.count, before),
          i === 0 ? null : before - step.count,
          tenths(step.median_conversion_time),
          tenths(step.average_conversion_time),
        ];
      }),
    ),
  };
}

function trendTable(answer: QueryAnswer): AnswerTable {
  const series = trendSeries(answer);
  const areTold = series.some(({ label }) => label !== "");
  return {
    columns: [
      text("Began"),
      ...(areTold ? [text("Value")] : []),
      number("Began, people"),
      number("Converted"),
      number("Conversion, %"),
    ],
    rows: series.flatMap(({ item, label }) =>
      item.days.map((day, i) => [
        day,
        ...(areTold ? [label] : []),
        item.reached_from_step_count[i]!,
        item.reached_to_step_count[i]!,
        item.data[i]!,
      ]),
    ),
  };
}

function timeTable(answer: QueryAnswer): AnswerTable {
  const periods = timesOf(answer);
  const areTold = periods.length > 1;
  return {
    columns: [...(areTold ? [text("Period")] : []), number("From, s"), number("To, s"), number("Converted")],
    rows: periods.flatMap(({ bins, label }) =>
      bins.map(({ fromS, toS, count }) => [...(areTold ? [label] : []), fromS, toS, count]),
    ),
  };
}
