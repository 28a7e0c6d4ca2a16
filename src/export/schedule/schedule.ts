import {
  activeBatchExports,
  addRun,
  advanceBackfill,
  type BatchExport,
  type BatchExportBackfill,
  cancelRun,
  countRuns,
  endBackfill,
  openBackfills,
  openRuns,
  type RunStatus,
  readBatchExport,
  setNextFrom,
} from "../../metadata/mod.ts";
import type { Db, Tx } from "../../store/mod.ts";
import { boundaryAfter } from "../intervals.ts";

/** Runs that one look makes of one export. */
const RUNS_AT_ONCE = 50;
/** Runs of a backfill that wait or run at a time. */
const OPEN_RUNS = 10;

/** Makes a run for each interval that is over, and goes on with backfills. What exists is not made again. */
export async function makeRuns(db: Db, nowMs: number): Promise<void> {
  for (const item of await db.read(activeBatchExports)) {
    if (endOfNext(item, nowMs) !== null) await db.write((tx) => makeScheduled(tx, item.id, nowMs));
  }
  for (const backfill of await db.read(openBackfills)) {
    await db.write((tx) => goOn(tx, backfill, nowMs));
  }
}

/** Where the next interval ends; null while it is not over, or where none follows. */
function endOfNext({ nextFromMs, endAtMs, ...cycle }: BatchExport, nowMs: number): number | null {
  if (nextFromMs === null) return null;
  const toMs = boundaryAfter(nextFromMs, cycle);
  return toMs <= nowMs && (endAtMs === null || toMs <= endAtMs) ? toMs : null;
}

async function makeScheduled(tx: Tx, id: string, nowMs: number): Promise<void> {
  const found = await readBatchExport(tx, id);
  if (found === null || found.paused || found.deleted) return;
  const item = { ...found };
  for (let i = 0; i < RUNS_AT_ONCE; i++) {
    const toMs = endOfNext(item, nowMs);
    if (toMs === null) break;
    const { teamId, nextFromMs: fromMs } = item;
    await addRun(tx, { exportId: id, teamId, backfillId: null, fromMs, toMs }, nowMs);
    item.nextFromMs = toMs;
  }
  await setNextFrom(tx, id, item.nextFromMs!);
}

async function goOn(tx: Tx, backfill: BatchExportBackfill, nowMs: number): Promise<void> {
  const { id, exportId, teamId } = backfill;
  const item = await readBatchExport(tx, exportId);
  if (item === null || item.deleted) {
    for (const run of await openRuns(tx, { backfillId: id })) await cancelRun(tx, run, nowMs);
    await endBackfill(tx, id, "Cancelled", nowMs);
    return;
  }
  const { open, statuses } = await countRuns(tx, id);
  if (!backfill.hasMore) {
    if (open === 0) await endBackfill(tx, id, endOf(statuses), nowMs);
    return;
  }
  let { nextFromMs: fromMs } = backfill;
  for (let n = open; n < OPEN_RUNS; n++) {
    const toMs = endOfPiece(backfill, fromMs, item);
    await addRun(tx, { exportId, teamId, backfillId: id, fromMs, toMs }, nowMs);
    fromMs = toMs;
    if (toMs >= backfill.uptoMs) break;
  }
  if (fromMs === backfill.nextFromMs || fromMs === null) return;
  await advanceBackfill(tx, id, { nextFromMs: fromMs, hasMore: fromMs < backfill.uptoMs, nowMs });
}

function endOfPiece({ uptoMs, isWhole }: BatchExportBackfill, fromMs: number | null, item: BatchExport): number {
  return fromMs === null || isWhole ? uptoMs : Math.min(uptoMs, boundaryAfter(fromMs, item));
}

/** What a backfill has come to, when all its runs have ended. */
function endOf(statuses: ReadonlyMap<RunStatus, number>): RunStatus {
  for (const status of ["Failed", "FailedRetryable", "Cancelled"] as const) {
    if (statuses.has(status)) return status;
  }
  return "Completed";
}
