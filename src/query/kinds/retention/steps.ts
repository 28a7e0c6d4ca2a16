import { arithmetic, call, compare, constant, field, ofDay } from "../../hogql/syntax/build.ts";
import type { Expression } from "../../hogql/syntax/tree.ts";
import { runsOf } from "../../time/buckets.ts";

/** Steps of time one after the other, numbered from 0: which of them an event lies in. */
export class Steps {
  /** The number of the step of an event that lies in some. */
  readonly number: Expression;
  /** The same of any event before the end: -1 of one before the first step. */
  readonly numberOrBefore: Expression;
  /** The step as a bit, the first one the lowest; for at most 62 steps. */
  readonly bit: Expression;

  /** `edgesMs`: where each begins, and the last one ends. `areDays`: so that the day of an event tells its step. */
  constructor(
    readonly edgesMs: number[],
    areDays: boolean,
  ) {
    const ms = call("toUnixTimestamp64Milli", areDays ? ofDay("timestamp") : field("timestamp"));
    this.number = numberOf(ms, edgesMs);
    const isBefore = compare(ms, "<", constant(edgesMs[0] ?? 0));
    this.numberOrBefore = call("if", isBefore, constant(-1), this.number);
    this.bit = call("bitShiftLeft", constant(1), this.number);
  }

  get count(): number {
    return Math.max(this.edgesMs.length - 1, 0);
  }
}

/** Arithmetic for each run of steps of one length; lengths change with the clocks, and from month to month. */
function numberOf(ms: Expression, edgesMs: readonly number[]): Expression {
  const [last, ...earlier] = runsOf(edgesMs)
    .toReversed()
    .map(({ index, startMs, stepMs }) => {
      const within = call("intDiv", arithmetic(ms, "-", constant(startMs)), constant(stepMs));
      const number = index === 0 ? within : arithmetic(constant(index), "+", within);
      return { begins: compare(ms, ">=", constant(startMs)), number };
    });
  if (last === undefined) return constant(0);
  const all = [last, ...earlier];
  const first = all.at(-1)!;
  if (all.length === 1) return first.number;
  return call("multiIf", ...all.slice(0, -1).flatMap(({ begins, number }) => [begins, number]), first.number);
}
