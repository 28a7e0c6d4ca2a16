import type { Part } from "../../charts/types.ts";
import { isOther } from "../../format/name.ts";
import type { Line } from "./lines.ts";

/** A line with its one number, and with that of the period before. */
export interface Value extends Part {
  line: Line;
  /** That of the period before. */
  before: Line | undefined;
}

/** The shown lines of an answer with one number each, the largest first and "Other" last; periods that are compared lie in one part. */
export function valuesOf(lines: readonly Line[]): readonly Value[] {
  const before = new Map<string, Line>();
  const nameOf = ({ item }: Line) => JSON.stringify([item.order, item.breakdown_value ?? null]);
  for (const line of lines) if (line.isPrevious) before.set(nameOf(line), line);
  return lines
    .filter(({ isPrevious, isShown }) => !isPrevious && isShown)
    .map((line) => ({ line, before: before.get(nameOf(line)) }))
    .map(({ line, before }) => ({
      key: line.key,
      label: line.label,
      value: numberOf(line),
      color: line.color,
      previous: before === undefined ? null : numberOf(before),
      line,
      before,
    }))
    .sort((one, other) => rankOf(one.line) - rankOf(other.line) || other.value - one.value);
}

const rankOf = ({ item }: Line): number => (isOther(item.breakdown_value) ? 1 : 0);

/** Whether the answer has one number, or an axis: then it is the sum. */
const numberOf = ({ item }: Line): number => item.aggregated_value ?? item.count;
