import { call, compare, constant, field } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";

/** `sampleNumber` spreads texts over so many numbers. */
const STEPS = 1_000_000;

/** The condition that holds for all events of a share of the distinct ids; none for all of them. */
export function sampled(factor: number): Expression[] {
  if (factor === 1) return [];
  return [compare(call("sampleNumber", field("distinct_id")), "<", constant(Math.round(factor * STEPS)))];
}

/** Maths whose value does not depend on how many events there are. */
const SHARE_FREE = /^(avg|min|max|median|p\d\d)(_count_per_actor)?$/;

/** What was found in a sample, as it would be in all events. */
export function scaled(value: number, factor: number, math: string): number {
  return factor === 1 || SHARE_FREE.test(math) ? value : Math.round(value / factor);
}
