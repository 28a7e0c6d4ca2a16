import type { RejectReason } from "../types.ts";

/** What became of the rows; a sum of parts is the same as that of the whole. */
export interface Counts {
  /** Rows that were looked at. */
  rows: number;
  /** Rows that are events, and were sent. */
  sent: number;
  /** Made events that were sent. */
  made: number;
  /** Rows that are persons, and were sent. */
  persons: number;
  rejected: number;
  leftOut: number;
  rejectedBy: Partial<Record<RejectReason, number>>;
  leftOutBy: Record<string, number>;
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

export function countLeftOut(counts: Counts, reason: string): void {
  counts.leftOut++;
  const isKnown = reason in counts.leftOutBy || Object.keys(counts.leftOutBy).length < NAMES_MAX;
  const name = isKnown ? reason : "others";
  counts.leftOutBy[name] = (counts.leftOutBy[name] ?? 0) + 1;
}

export function addCounts(to: Counts, more: Counts): void {
  for (const name of ["rows", "sent", "made", "persons", "rejected", "leftOut"] as const) to[name] += more[name];
  for (const [reason, n] of Object.entries(more.rejectedBy) as [RejectReason, number][]) {
    to.rejectedBy[reason] = (to.rejectedBy[reason] ?? 0) + n;
  }
  for (const [reason, n] of Object.entries(more.leftOutBy)) to.leftOutBy[reason] = (to.leftOutBy[reason] ?? 0) + n;
}
