import { changed, type Listed, numberOrNull, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";
import type { RunStatus } from "./batchExportRun.ts";

/** Intervals of the past that a batch export has to do (again). */
export interface BatchExportBackfill {
  id: string;
  exportId: string;
  teamId: number;
  /** As asked; null: from the beginning, in one run. */
  startAtMs: number | null;
  /** As asked; null: up to what was over then. */
  endAtMs: number | null;
  /** Where its last run ends. */
  uptoMs: number;
  /** Whether it is one run. */
  isWhole: boolean;
  status: RunStatus;
  totalRuns: number | null;
  /** Where the next run begins; null for the beginning of time. */
  nextFromMs: number | null;
  /** Whether runs are still to be made. */
  hasMore: boolean;
  createdAtMs: number;
  lastUpdatedAtMs: number;
  finishedAtMs: number | null;
}

interface Row {
  id: string;
  export_id: string;
  team_id: Stored;
  start_at_ms: Stored | null;
  end_at_ms: Stored | null;
  upto_ms: Stored;
  is_whole: Stored;
  status: RunStatus;
  total_runs: Stored | null;
  next_from_ms: Stored | null;
  has_more: Stored;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  finished_at_ms: Stored | null;
}

const fromRow = (row: Row): BatchExportBackfill => ({
  id: row.id,
  exportId: row.export_id,
  teamId: Number(row.team_id),
  startAtMs: numberOrNull(row.start_at_ms),
  endAtMs: numberOrNull(row.end_at_ms),
  uptoMs: Number(row.upto_ms),
  isWhole: Number(row.is_whole) === 1,
  status: row.status,
  totalRuns: numberOrNull(row.total_runs),
  nextFromMs: numberOrNull(row.next_from_ms),
  hasMore: Number(row.has_more) === 1,
  createdAtMs: Number(row.created_at_ms),
  lastUpdatedAtMs: Number(row.updated_at_ms),
  finishedAtMs: numberOrNull(row.finished_at_ms),
});

export type NewBackfill = Pick<
  BatchExportBackfill,
  | "id"
  | "exportId"
  | "teamId"
  | "startAtMs"
  | "endAtMs"
  | "uptoMs"
  | "isWhole"
  | "totalRuns"
  | "nextFromMs"
  | "createdAtMs"
>;

/** Without runs it is complete at once. */
export async function addBackfill(tx: Tx, o: NewBackfill): Promise<void> {
  const row = {
    id: o.id,
    export_id: o.exportId,
    team_id: o.teamId,
    start_at_ms: o.startAtMs,
    end_at_ms: o.endAtMs,
    upto_ms: o.uptoMs,
    is_whole: Number(o.isWhole),
    status: o.totalRuns === 0 ? "Completed" : "Starting",
    total_runs: o.totalRuns,
    next_from_ms: o.nextFromMs,
    has_more: o.totalRuns === 0 ? 0 : 1,
    created_at_ms: o.createdAtMs,
    updated_at_ms: o.createdAtMs,
    finished_at_ms: o.totalRuns === 0 ? o.createdAtMs : null,
  };
  await tx`insert into batch_export_backfills ${tx(row)}`;
}

export async function findBackfill(tx: Tx, exportId: string, id: string): Promise<BatchExportBackfill | null> {
  const rows: Row[] = await tx`select * from batch_export_backfills where id = ${id} and export_id = ${exportId}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** One page, newest first. */
export function listBackfills(tx: Tx, exportId: string, page: Page): Promise<Listed<BatchExportBackfill>> {
  const where = tx`export_id = ${exportId}`;
  const order = tx`created_at_ms desc, id desc`;
  return selectPage(tx, { table: "batch_export_backfills", where, order, read: fromRow }, page);
}

/** Those of all environments that have not ended, oldest first. */
export async function openBackfills(tx: Tx): Promise<BatchExportBackfill[]> {
  const rows: Row[] = await tx`select * from batch_export_backfills where finished_at_ms is null
    order by created_at_ms, id`;
  return rows.map(fromRow);
}

export async function countOpenBackfills(tx: Tx, teamId: number): Promise<number> {
  const rows: { n: Stored }[] = await tx`select count(*) as n from batch_export_backfills
    where team_id = ${teamId} and finished_at_ms is null`;
  return Number(rows[0]?.n ?? 0);
}

/** Notes that the runs up to a moment are made. */
export async function advanceBackfill(
  tx: Tx,
  id: string,
  o: { nextFromMs: number; hasMore: boolean; nowMs: number },
): Promise<void> {
  await tx`update batch_export_backfills set next_from_ms = ${o.nextFromMs}, has_more = ${o.hasMore ? 1 : 0},
    status = 'Running', updated_at_ms = ${o.nowMs} where id = ${id} and finished_at_ms is null`;
}

/** False where it has ended before. */
export async function endBackfill(tx: Tx, id: string, status: RunStatus, nowMs: number): Promise<boolean> {
  const result = await tx`update batch_export_backfills set status = ${status}, has_more = 0, finished_at_ms = ${nowMs},
    updated_at_ms = ${nowMs} where id = ${id} and finished_at_ms is null`;
  return changed(result) === 1;
}
