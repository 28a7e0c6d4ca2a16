import {
  activeBatchExports,
  addRun,
  advanceBackfill,
  type BatchExport,
  type BatchExportBackfill,
  cancelRun,
  countRuns,
  endBackfill,
  findBackfill,
  holdRow,
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
    if ((await db.read((tx) => stepOf(tx, backfill))) === null) continue;
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

/** What is to be done next of a backfill. */
type Step =
  | { do: "cancel" }
  | { do: "end"; status: RunStatus }
  /** Runs to make: the first begins at `fromMs`, each ends where the next begins. */
  | { do: "advance"; fromMs: number | null; ends: readonly number[] };

/** Null where there is nothing to do yet: then nothing is written. */
async function stepOf(tx: Tx, backfill: BatchExportBackfill): Promise<Step | null> {
  if (backfill.finishedAtMs !== null) return null;
  const item = await readBatchExport(tx, backfill.exportId);
  if (item === null || item.deleted) return { do: "cancel" };
  const { open, statuses } = await countRuns(tx, { exportId: backfill.exportId, backfillId: backfill.id });
  if (!backfill.hasMore) return open === 0 ? { do: "end", status: endOf(statuses) } : null;
  const ends: number[] = [];
  for (let fromMs = backfill.nextFromMs; open + ends.length < OPEN_RUNS; fromMs = ends.at(-1)!) {
    ends.push(endOfPiece(backfill, fromMs, item));
    if (ends.at(-1)! >= backfill.uptoMs) break;
  }
  return ends.length === 0 ? null : { do: "advance", fromMs: backfill.nextFromMs, ends };
}

async function goOn(tx: Tx, { id, exportId }: BatchExportBackfill, nowMs: number): Promise<void> {
  // As it is now: another exporter may have gone on with it, or somebody has cancelled it.
  await holdRow(tx, "batch_export_backfills", id);
  const backfill = await findBackfill(tx, exportId, id);
  const step = backfill === null ? null : await stepOf(tx, backfill);
  if (backfill === null || step === null) return;
  switch (step.do) {
    case "cancel":
      for (const run of await openRuns(tx, { exportId, backfillId: id })) await cancelRun(tx, run, nowMs);
      await endBackfill(tx, id, "Cancelled", nowMs);
      return;
    case "end":
      await endBackfill(tx, id, step.status, nowMs);
      return;
    case "advance": {
      let { fromMs } = step;
      for (const toMs of step.ends) {
        await addRun(tx, { exportId, teamId: backfill.teamId, backfillId: id, fromMs, toMs }, nowMs);
        fromMs = toMs;
      }
      await advanceBackfill(tx, id, { nextFromMs: fromMs!, hasMore: fromMs! < backfill.uptoMs, nowMs });
    }
  }
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
