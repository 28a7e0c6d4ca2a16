import { numberOrNull, type Stored } from "../store/mod.ts";

export const RUN_STATUSES = [
  "Cancelled",
  "Completed",
  "ContinuedAsNew",
  "Failed",
  "FailedRetryable",
  "FailedBilling",
  "Terminated",
  "TimedOut",
  "Running",
  "Starting",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** One interval of a batch export on its way out. */
export interface BatchExportRun {
  id: string;
  exportId: string;
  teamId: number;
  /** Null for one of the schedule. */
  backfillId: string | null;
  /** Of acceptance; null: from the beginning. The end is not part of it. */
  fromMs: number | null;
  toMs: number;
  status: RunStatus;
  recordsCompleted: number | null;
  recordsFailed: number | null;
  recordsTotal: number | null;
  bytes: number | null;
  /** Files that were handed over. */
  parts: number;
  latestError: string | null;
  /** Tries that failed. */
  attempts: number;
  cancelAsked: boolean;
  epoch: number;
  createdAtMs: number;
  lastUpdatedAtMs: number;
  finishedAtMs: number | null;
}

export interface RunRow {
  id: string;
  export_id: string;
  team_id: Stored;
  backfill_id: string;
  from_ms: Stored | null;
  to_ms: Stored;
  status: RunStatus;
  records_completed: Stored | null;
  records_failed: Stored | null;
  records_total: Stored | null;
  bytes: Stored | null;
  parts: Stored;
  latest_error: string | null;
  attempts: Stored;
  cancel_asked: Stored;
  epoch: Stored;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  finished_at_ms: Stored | null;
}

export const runFromRow = (row: RunRow): BatchExportRun => ({
  id: row.id,
  exportId: row.export_id,
  teamId: Number(row.team_id),
  backfillId: row.backfill_id === "" ? null : row.backfill_id,
  fromMs: numberOrNull(row.from_ms),
  toMs: Number(row.to_ms),
  status: row.status,
  recordsCompleted: numberOrNull(row.records_completed),
  recordsFailed: numberOrNull(row.records_failed),
  recordsTotal: numberOrNull(row.records_total),
  bytes: numberOrNull(row.bytes),
  parts: Number(row.parts),
  latestError: row.latest_error,
  attempts: Number(row.attempts),
  cancelAsked: Number(row.cancel_asked) === 1,
  epoch: Number(row.epoch),
  createdAtMs: Number(row.created_at_ms),
  lastUpdatedAtMs: Number(row.updated_at_ms),
  finishedAtMs: numberOrNull(row.finished_at_ms),
});
