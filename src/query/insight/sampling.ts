import { embedded } from "../hogql/syntax/build.ts";
import type { Expression } from "../hogql/syntax/tree.ts";
import type { EventsTable } from "../source/events.ts";
import { bind, sql } from "../sql/sql.ts";

/** Hashes are as good as evenly spread over so many numbers. */
const STEPS = 1_000_000;

/** The condition that holds for all events of a share of the distinct ids; none for all of them. */
export function sampled(factor: number): Expression[] {
  if (factor === 1) return [];
  const steps = bind(Math.round(factor * STEPS), "BIGINT");
  const isIn = (events: EventsTable) =>
    sql`hash(${events.column("distinct_id")}) % ${bind(STEPS, "BIGINT")} < ${steps}`;
  return [embedded("bool", null, isIn)];
}

/** Maths whose value does not depend on how many events there are. */
const SHARE_FREE = /^(avg|min|max|median|p\d\d)(_count_per_actor)?$/;

/** What was found in a sample, as it would be in all events. */
export function scaled(value: number, factor: number, math: string): number {
  return factor === 1 || SHARE_FREE.test(math) ? value : Math.round(value / factor);
}
