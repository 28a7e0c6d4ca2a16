import type { ActiveProgram } from "../../src/walk/mod.ts";
import type { Row } from "./naive.ts";

/** What a walk gives, by the names of its columns. */
export type Given = Record<string, number>;

/** The intervals of an actor, with -1 for the time before all of them, in which a step is active. */
function intervalsOf(rows: readonly Row[], actor: number, step: number, program: ActiveProgram): number[] {
  const { bucketStartsMs, enough } = program;
  const { least, most } = enough[step]!;
  const own = rows.filter((row) => row.actor === actor && ((row.steps >> step) & 1) === 1);
  const at = own.map(({ us }) => bucketStartsMs.findLastIndex((ms) => ms * 1000 <= us));
  return [-1, ...bucketStartsMs.keys()].filter((interval) => {
    const events = at.filter((one) => one === interval).length;
    return events >= least && events <= (most ?? Number.POSITIVE_INFINITY);
  });
}

/** All that the walk of a program gives, in any order. `madeMs`: by actor when it was made, NaN where that is not known. */
export function naiveActive(rows: readonly Row[], program: ActiveProgram, madeMs: readonly number[]): Given[] {
  const actors = [...new Set(rows.map(({ actor }) => actor))];
  const of = (actor: number, step: number) => intervalsOf(rows, actor, step, program);
  const { gives } = program;
  switch (gives.kind) {
    case "counts":
      return together(
        actors.flatMap((actor) =>
          gives.lines.map((line, step) => ({ line, intervals: of(actor, step).filter((one) => one >= 0).length })),
        ),
      ).filter(({ intervals }) => intervals! > 0);
    case "statuses":
      return statusesOf(
        actors.map((actor) => ({ made: madeIn(madeMs[actor] ?? Number.NaN, program, gives), own: of(actor, 0) })),
      );
    case "returns":
      return together(actors.flatMap((actor) => cellsOf(of(actor, 0), of(actor, 1), gives)));
  }
}

/** The interval in which somebody was made; -1 for none. */
function madeIn(
  ms: number,
  { bucketStartsMs }: ActiveProgram,
  { made: { fromMs, toMs } }: Extract<ActiveProgram["gives"], { kind: "statuses" }>,
): number {
  const isOutside = Number.isNaN(ms) || (fromMs !== null && ms < fromMs) || ms > toMs;
  return isOutside ? -1 : bucketStartsMs.findLastIndex((start) => start <= ms);
}

/** Of each interval in which somebody was active. */
function statusesOf(all: { made: number; own: number[] }[]): Given[] {
  const shown = all.map(({ made, own }) => ({ made, own: own.filter((one) => one >= 0) }));
  const buckets = [...new Set(shown.flatMap(({ own }) => own))];
  return buckets.map((bucket) => {
    const active = shown.filter(({ own }) => own.includes(bucket));
    const returning = active.filter(({ own }) => own.includes(bucket - 1));
    const fresh = active.filter(({ own, made }) => made === bucket && own.every((one) => one >= bucket));
    return {
      bucket,
      new: fresh.length,
      returning: returning.length,
      resurrecting: active.length - returning.length - fresh.length,
      dormant: active.filter(({ own }) => !own.includes(bucket + 1)).length,
    };
  });
}

function cellsOf(
  started: number[],
  returned: number[],
  { columns, isCumulative, isFirst }: Extract<ActiveProgram["gives"], { kind: "returns" }>,
): Given[] {
  const starts = (isFirst ? started.slice(0, 1) : started).filter((one) => one >= 0);
  return starts.flatMap((cohort) => {
    const isIn = columns.map(({ from, to }) => returned.some((one) => one - cohort >= from && one - cohort <= to));
    const shown = isIn.map((is, i) => is || (isCumulative && isIn.slice(i).includes(true)));
    return [{ cohort, column: 0 }, ...shown.flatMap((is, i) => (is ? [{ cohort, column: i + 1 }] : []))];
  });
}

function together(given: Given[]): Given[] {
  const alike = Map.groupBy(given, (one) => JSON.stringify(one));
  return [...alike.values()].map((all) => ({ ...all[0]!, actors: all.length }));
}
