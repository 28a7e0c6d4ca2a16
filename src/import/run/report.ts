import type { FirstsSummary } from "../survey/mod.ts";
import type { Checked } from "./check.ts";
import type { Counts } from "./counts.ts";

/** How an import came out. */
export interface Report {
  id: string;
  source: string;
  project: number;
  /** Rows of the files. They are the sum of the members that follow, missing ones included. */
  rows: number;
  /** Rows that are events, and were sent. */
  sent: number;
  stored: number;
  duplicates: number;
  rejected: number;
  leftOut: number;
  /** Rows that are persons. */
  persons: number;
  missing: number;
  rejectedBy: Counts["rejectedBy"];
  leftOutBy: Counts["leftOutBy"];
  rejectExamples: NonNullable<Counts["rejectExamples"]>;
  /** Events that were made beside those of the rows. */
  made: { sent: number; stored: number; duplicates: number; missing: number; refused: number };
  missingExamples: Checked["missingExamples"];
  copies: number;
  sharedDevices: FirstsSummary["sharedExamples"];
  sharedDeviceCount: number;
  /** Where the rejects are; null where there are none. */
  rejects: string | null;
  startedAt: string;
  endedAt: string;
  /** Whether rows are the sum of what became of them, and nothing is missing. */
  isWhole: boolean;
}

/** Whether everything that was sent is there. */
export function isWhole(r: Omit<Report, "isWhole">): boolean {
  const sum = r.stored + r.duplicates + r.rejected + r.leftOut + r.persons;
  return r.missing === 0 && r.made.missing === 0 && sum === r.rows;
}
