import type { LiveSegment } from "../catalog/mod.ts";
import { bytesOf, type CompactionLimits, ownBytes, SHARED, weightOf } from "./planner.ts";

/** Rows of one day in a job, in target sizes: a day is not cut. */
const DAY_TARGETS = 5 / 4;

/** Rows of a project and UTC day in the inputs of a job. */
export interface DayCount {
  teamId: number;
  day: number;
  rows: number;
}

/** Of the rows of a job, on average. */
interface RowSizes {
  bytesPerRow: number;
  /** The same, or more where wide rows need more memory than their bytes tell. */
  weightPerRow: number;
}

export function rowSizes(inputs: readonly LiveSegment[], limits: CompactionLimits): RowSizes {
  const sum = (value: (input: LiveSegment) => number) => inputs.reduce((total, input) => total + value(input), 0);
  const rows = sum(({ rowCount }) => rowCount);
  const sizeBytes = sum(bytesOf);
  const wideBytes = sum((input) => input.wideBytes);
  return {
    bytesPerRow: sizeBytes / rows,
    weightPerRow: weightOf({ sizeBytes, wideBytes, hasPersonRows: false }, limits) / rows,
  };
}

/** What one output file holds: a project, or all that have no file of their own, over a range of days. */
export interface OutputPlan {
  teamIds: number[];
  fromDay: number;
  /** Inclusive. */
  toDay: number;
  rows: number;
}

/** An output file with the id that it is going to have. */
export type PlannedOutput = OutputPlan & { id: string };

export const withIds = (outputs: readonly OutputPlan[]): PlannedOutput[] =>
  outputs.map((output) => ({ ...output, id: crypto.randomUUID() }));

/** The only project of an output, or null where small projects share. */
export function ownTeam({ teamIds: [first, ...others] }: OutputPlan): number | null {
  return first === undefined || others.length > 0 ? null : first;
}

/** Divides the rows of a job among output files: projects apart, then whole days up to about the target size. */
export function planOutputs(
  counts: readonly DayCount[],
  { bytesPerRow, weightPerRow }: RowSizes,
  limits: CompactionLimits,
): OutputPlan[] {
  const rowsOf = new Map<number, number>();
  for (const { teamId, rows } of counts) rowsOf.set(teamId, (rowsOf.get(teamId) ?? 0) + rows);
  const isOwn = (teamId: number) => (rowsOf.get(teamId) ?? 0) * bytesPerRow >= ownBytes(limits);
  const groups = Map.groupBy(counts, ({ teamId }) => (isOwn(teamId) ? teamId : SHARED));
  return [...groups.values()].flatMap((group) => splitDays(group, limits.targetBytes / weightPerRow));
}

/**
 * Fewer inputs of a job whose outputs are planned, or null where all may stay: too many rows of one day would be sorted at once, which takes long and
 * goes to disk.
 */
export function cutToADay(
  inputs: readonly LiveSegment[],
  outputs: readonly OutputPlan[],
  limits: CompactionLimits,
): LiveSegment[] | null {
  const days = outputs.filter(({ fromDay, toDay }) => fromDay === toDay);
  const weight = Math.max(0, ...days.map(({ rows }) => rows)) * rowSizes(inputs, limits).weightPerRow;
  if (weight <= limits.targetBytes * DAY_TARGETS) return null;
  let bytes = 0;
  const first = inputs.filter((file) => {
    bytes += bytesOf(file);
    return bytes <= limits.targetBytes;
  });
  return first.length < 2 || first.length === inputs.length ? null : first;
}

function splitDays(counts: DayCount[], targetRows: number): OutputPlan[] {
  const teamIds = [...new Set(counts.map((count) => count.teamId))].sort((a, b) => a - b);
  const rowsOf = new Map<number, number>();
  for (const { day, rows } of counts) rowsOf.set(day, (rowsOf.get(day) ?? 0) + rows);
  const days = [...rowsOf].sort((a, b) => a[0] - b[0]);
  return runsOf(days, targetRows).flatMap((run) => splitRun(run, targetRows, teamIds));
}

type DayRows = [day: number, rows: number];

/**
 * Days that may share a file. A day that half fills one is alone: late events of other days beside it would make files that overlap, and
 * merging these would not make them narrower.
 */
function runsOf(days: readonly DayRows[], targetRows: number): DayRows[][] {
  const isAlone = ([, rows]: DayRows) => rows >= targetRows / 2;
  const runs: DayRows[][] = [];
  for (const [i, day] of days.entries()) {
    const before = days[i - 1];
    if (before === undefined || isAlone(before) || isAlone(day)) runs.push([day]);
    else runs.at(-1)!.push(day);
  }
  return runs;
}

function splitRun(run: readonly DayRows[], targetRows: number, teamIds: number[]): OutputPlan[] {
  const total = run.reduce((sum, [, rows]) => sum + rows, 0);
  const outputs = Math.max(1, Math.round(total / targetRows));
  const plans: OutputPlan[] = [];
  let done = 0;
  for (const [day, rows] of run) {
    const last = plans.at(-1);
    // A new file where the share of those before it is used up.
    if (last === undefined || done >= (plans.length * total) / outputs) {
      plans.push({ teamIds, fromDay: day, toDay: day, rows });
    } else {
      last.toDay = day;
      last.rows += rows;
    }
    done += rows;
  }
  return plans;
}
