import type { RejectReason } from "../types.ts";

/** A rejected row, to be looked at. */
export interface RejectExample {
  /** `file:line`. */
  place: string;
  message: string;
  /** The beginning of the row. */
  raw: string;
}

const EXAMPLES = 3;
const RAW_SHOWN = 200;

/** What became of the rows; a sum of parts is the same as that of the whole. */
export interface Counts {
  /** Rows that were looked at. */
  rows: number;
  /** Rows that are events, and were sent. */
  sent: number;
  /** Made events that were sent. */
  made: number;
  /** Made events that the Weir does not take; absent where there are none. */
  madeRefused?: number;
  /** Rows that are persons, and were sent. */
  persons: number;
  rejected: number;
  leftOut: number;
  rejectedBy: Partial<Record<RejectReason, number>>;
  leftOutBy: Record<string, number>;
  /** The first rejects of each reason; absent where there are none. */
  rejectExamples?: Partial<Record<RejectReason, RejectExample[]>>;
}

export const noCounts = (): Counts => ({
  ...{ rows: 0, sent: 0, made: 0, persons: 0, rejected: 0, leftOut: 0 },
  rejectedBy: {},
  leftOutBy: {},
});

/** Names of left-out rows that are kept apart. */
const NAMES_MAX = 100;

export function countReject(counts: Counts, reason: RejectReason): void {
  counts.rejected++;
  counts.rejectedBy[reason] = (counts.rejectedBy[reason] ?? 0) + 1;
}

/** Keeps a reject as an example unless there are enough of its reason. */
export function keepExample(counts: Counts, reason: RejectReason, { raw, ...example }: RejectExample): void {
  const some = counts.rejectExamples?.[reason] ?? [];
  if (some.length === EXAMPLES) return;
  const examples = [...some, { ...example, raw: raw.slice(0, RAW_SHOWN) }];
  counts.rejectExamples = { ...counts.rejectExamples, [reason]: examples };
}

export function countLeftOut(counts: Counts, reason: string): void {
  counts.leftOut++;
  const isKnown = reason in counts.leftOutBy || Object.keys(counts.leftOutBy).length < NAMES_MAX;
  const name = isKnown ? reason : "others";
  counts.leftOutBy[name] = (counts.leftOutBy[name] ?? 0) + 1;
}

export function addCounts(to: Counts, more: Counts): void {
  for (const name of ["rows", "sent", "made", "persons", "rejected", "leftOut"] as const) to[name] += more[name];
  if (more.madeRefused !== undefined) to.madeRefused = (to.madeRefused ?? 0) + more.madeRefused;
  for (const [reason, n] of Object.entries(more.rejectedBy) as [RejectReason, number][]) {
    to.rejectedBy[reason] = (to.rejectedBy[reason] ?? 0) + n;
  }
  for (const [reason, n] of Object.entries(more.leftOutBy)) to.leftOutBy[reason] = (to.leftOutBy[reason] ?? 0) + n;
  for (const [reason, examples] of Object.entries(more.rejectExamples ?? {}) as [RejectReason, RejectExample[]][]) {
    for (const example of examples) keepExample(to, reason, example);
  }
}
