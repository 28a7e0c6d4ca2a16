import type { Part } from "../../charts/types.ts";
import type { Line } from "./lines.ts";

/** A line with its one number, and with that of the period before. */
export interface Value extends Part {
  line: Line;
}

/** The shown lines of an answer with one number each, the largest first; periods that are compared lie in one part. */
export function valuesOf(lines: readonly Line[]): readonly Value[] {
  const before = new Map<string, number>();
  const nameOf = ({ item }: Line) => JSON.stringify([item.order, item.breakdown_value ?? null]);
  for (const line of lines) if (line.isPrevious) before.set(nameOf(line), numberOf(line));
  return lines
    .filter(({ isPrevious, isShown }) => !isPrevious && isShown)
    .map((line) => ({
      key: line.key,
      label: line.label,
      value: numberOf(line),
      color: line.color,
      previous: before.get(nameOf(line)) ?? null,
      line,
    }))
    .sort((one, other) => other.value - one.value);
}

/** Whether the answer has one number, or an axis: then it is the sum. */
const numberOf = ({ item }: Line): number => item.aggregated_value ?? item.count;
