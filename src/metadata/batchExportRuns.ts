import {
  allOf,
  changed,
  type Fragment,
  type Listed,
  type Page,
  type Stored,
  selectPage,
  type Tx,
} from "../store/mod.ts";
import { uuidV7 } from "../types/mod.ts";
import { type BatchExportRun, type RunRow, type RunStatus, runFromRow } from "./batchExportRun.ts";

/** A run to be made; one of the same export, backfill and end is there once. */
export interface NewRun {
  exportId: string;
  teamId: number;
  backfillId: string | null;
  fromMs: number | null;
  toMs: number;
}

/** Gives its id; null where it is there already. */
export async function addRun(tx: Tx, run: NewRun, nowMs: number): Promise<string | null> {
  const row = {
    id: uuidV7(nowMs),
    export_id: run.exportId,
    team_id: run.teamId,
    backfill_id: run.backfillId ?? "",
    from_ms: run.fromMs,
    to_ms: run.toMs,
    status: "Starting",
    parts: 0,
    attempts: 0,
    due_at_ms: nowMs,
    cancel_asked: 0,
    epoch: 0,
    lease_until_ms: 0,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  };
  const result =
    await tx`insert into batch_export_runs ${tx(row)} on conflict (export_id, backfill_id, to_ms) do nothing`;
  return changed(result) === 1 ? row.id : null;
}

/** What can be claimed: due, not ended, and no living exporter has it. */
const isDue = (tx: Tx, nowMs: number): Fragment =>
  tx`finished_at_ms is null and due_at_ms <= ${nowMs} and lease_until_ms <= ${nowMs}`;

/** Whether `claimRun` would find one. */
export async function hasDueRun(tx: Tx, nowMs: number): Promise<boolean> {
  const rows: object[] = await tx`select 1 from batch_export_runs where ${isDue(tx, nowMs)} limit 1`;
  return rows.length > 0;
}

/**
 * Takes the run that is due longest and that no living exporter has; null where there is none. Its epoch grows. `ttlMs`: after so long
 * without `renewRun` another one takes it. Times are of the machines' clocks.
 */
export async function claimRun(
  tx: Tx,
  o: { holder: string; nowMs: number; ttlMs: number },
): Promise<BatchExportRun | null> {
  const rows: RunRow[] = await tx`select * from batch_export_runs
    where ${isDue(tx, o.nowMs)}
    order by due_at_ms, id limit 1`;
  if (rows[0] === undefined) return null;
  const run = runFromRow(rows[0]);
  const result = await tx`update batch_export_runs
    set holder = ${o.holder}, epoch = epoch + 1, lease_until_ms = ${o.nowMs + o.ttlMs}
    where id = ${run.id} and epoch = ${run.epoch} and finished_at_ms is null`;
  return changed(result) === 1 ? { ...run, epoch: run.epoch + 1 } : null;
}

/** A claim: only its holder has the epoch. */
type Claim = Pick<BatchExportRun, "id" | "epoch">;

/** Keeps a claim. False where it is lost: another exporter has the run, or it has ended. */
export async function renewRun(tx: Tx, { id, epoch }: Claim, o: { nowMs: number; ttlMs: number }): Promise<boolean> {
  const result = await tx`update batch_export_runs set lease_until_ms = ${o.nowMs + o.ttlMs}
    where id = ${id} and epoch = ${epoch} and finished_at_ms is null`;
  return changed(result) === 1;
}

/** How a claim stands. */
export async function lookAtRun(tx: Tx, { id, epoch }: Claim): Promise<"held" | "lost" | "cancelled"> {
  const rows: { cancel_asked: Stored }[] = await tx`select cancel_asked from batch_export_runs
    where id = ${id} and epoch = ${epoch} and finished_at_ms is null`;
  if (rows[0] === undefined) return "lost";
  return Number(rows[0].cancel_asked) === 1 ? "cancelled" : "held";
}

/** What a run has come to; what is absent stays. */
export interface RunProgress {
  status?: RunStatus;
  recordsCompleted?: number | null;
  recordsTotal?: number | null;
  bytes?: number | null;
  parts?: number;
  latestError?: string | null;
  attempts?: number;
}

/** False where the claim is lost; nothing is changed then. */
export async function noteRun(tx: Tx, claim: Claim, progress: RunProgress, nowMs: number): Promise<boolean> {
  return update(tx, claim, { ...columnsOf(progress), updated_at_ms: nowMs });
}

/** Lets go of a run, for any exporter to take from then on. */
export function releaseRun(
  tx: Tx,
  claim: Claim,
  progress: RunProgress,
  o: { nowMs: number; dueAtMs: number },
): Promise<boolean> {
  const columns = {
    ...columnsOf(progress),
    updated_at_ms: o.nowMs,
    due_at_ms: o.dueAtMs,
    holder: null,
    lease_until_ms: 0,
  };
  return update(tx, claim, columns);
}

/** Ends a run. False where the claim is lost. */
export function endRun(
  tx: Tx,
  claim: Claim,
  progress: RunProgress & { status: RunStatus },
  nowMs: number,
): Promise<boolean> {
  const columns = {
    ...columnsOf(progress),
    updated_at_ms: nowMs,
    finished_at_ms: nowMs,
    holder: null,
    lease_until_ms: 0,
  };
  return update(tx, claim, columns);
}

async function update(tx: Tx, { id, epoch }: Claim, columns: object): Promise<boolean> {
  const result = await tx`update batch_export_runs set ${tx(columns)}
    where id = ${id} and epoch = ${epoch} and finished_at_ms is null`;
  return changed(result) === 1;
}

function columnsOf(progress: RunProgress): object {
  const columns = {
    status: progress.status,
    records_completed: progress.recordsCompleted,
    records_total: progress.recordsTotal,
    bytes: progress.bytes,
    parts: progress.parts,
    latest_error: progress.latestError,
    attempts: progress.attempts,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/**
 * Orders a run to end: at once where nobody has it, else when its exporter looks next. False where it has ended.
 */
export async function cancelRun(tx: Tx, id: string, nowMs: number): Promise<boolean> {
  const atOnce = await tx`update batch_export_runs
    set status = 'Cancelled', finished_at_ms = ${nowMs}, updated_at_ms = ${nowMs}, epoch = epoch + 1
    where id = ${id} and finished_at_ms is null and lease_until_ms <= ${nowMs}`;
  if (changed(atOnce) === 1) return true;
  return (
    changed(await tx`update batch_export_runs set cancel_asked = 1 where id = ${id} and finished_at_ms is null`) === 1
  );
}

/** Those of an export, or of one of its backfills, that have not ended. */
export async function openRuns(tx: Tx, of: { exportId: string; backfillId?: string }): Promise<string[]> {
  const conditions: Fragment[] = [tx`export_id = ${of.exportId}`, tx`finished_at_ms is null`];
  if (of.backfillId !== undefined) conditions.push(tx`backfill_id = ${of.backfillId}`);
  const rows: { id: string }[] = await tx`select id from batch_export_runs where ${allOf(tx, conditions)}`;
  return rows.map(({ id }) => id);
}

export async function findRun(tx: Tx, exportId: string, id: string): Promise<BatchExportRun | null> {
  const rows: RunRow[] = await tx`select * from batch_export_runs where id = ${id} and export_id = ${exportId}`;
  return rows[0] === undefined ? null : runFromRow(rows[0]);
}

export interface RunFilter {
  exportId: string;
  statuses?: readonly string[];
  /** When it was made. */
  createdFromMs?: number;
  createdToMs?: number;
  /** Of its interval. */
  fromMs?: number;
  toMs?: number;
}

/** One page, newest first unless `order` says otherwise. */
export function listRuns(
  tx: Tx,
  filter: RunFilter,
  page: Page,
  { column, descending }: { column: "created_at_ms" | "from_ms"; descending: boolean } = {
    column: "created_at_ms",
    descending: true,
  },
): Promise<Listed<BatchExportRun>> {
  const conditions: Fragment[] = [tx`export_id = ${filter.exportId}`];
  if (filter.statuses !== undefined) conditions.push(tx`status in ${tx([...filter.statuses])}`);
  if (filter.createdFromMs !== undefined) conditions.push(tx`created_at_ms >= ${filter.createdFromMs}`);
  if (filter.createdToMs !== undefined) conditions.push(tx`created_at_ms <= ${filter.createdToMs}`);
  if (filter.fromMs !== undefined) conditions.push(tx`from_ms >= ${filter.fromMs}`);
  if (filter.toMs !== undefined) conditions.push(tx`to_ms <= ${filter.toMs}`);
  const where = allOf(tx, conditions);
  const direction = descending ? tx`desc` : tx`asc`;
  const order = tx`${tx(column)} ${direction}, id ${direction}`;
  return selectPage(tx, { table: "batch_export_runs", where, order, read: runFromRow }, page);
}

/** The newest runs of each export, newest first. */
export async function latestRuns(
  tx: Tx,
  exportIds: readonly string[],
  count: number,
): Promise<Map<string, BatchExportRun[]>> {
  const latest = new Map<string, BatchExportRun[]>();
  for (const id of exportIds) {
    const rows: RunRow[] = await tx`select * from batch_export_runs where export_id = ${id}
      order by created_at_ms desc, id desc limit ${count}`;
    if (rows.length > 0) latest.set(id, rows.map(runFromRow));
  }
  return latest;
}

/** How many runs of a backfill there are by status, and where the first begins (null where there are none, or it begins with time). */
export async function countRuns(
  tx: Tx,
  { exportId, backfillId }: { exportId: string; backfillId: string },
): Promise<{ open: number; statuses: Map<RunStatus, number>; firstFromMs: number | null }> {
  const rows: { status: RunStatus; n: Stored; ended: Stored; first_ms: Stored | null }[] = await tx`
    select status, count(*) as n, count(finished_at_ms) as ended, min(from_ms) as first_ms from batch_export_runs
    where export_id = ${exportId} and backfill_id = ${backfillId} group by status`;
  const statuses = new Map(rows.map((row) => [row.status, Number(row.n)]));
  const firsts = rows.flatMap((row) => (row.first_ms === null ? [] : [Number(row.first_ms)]));
  return {
    open: rows.reduce((sum, row) => sum + Number(row.n) - Number(row.ended), 0),
    statuses,
    firstFromMs: firsts.length === 0 ? null : Math.min(...firsts),
  };
}
