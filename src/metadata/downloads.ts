import { type Listed, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";
import { type BatchExportRun, type RunRow, runFromRow } from "./batchExportRun.ts";

/** How many downloads of an environment have not ended; each has one run. */
export async function countOpenDownloads(tx: Tx, teamId: number): Promise<number> {
  const rows: { n: Stored }[] = await tx`select count(*) as n from batch_export_runs r
    join batch_exports b on b.id = r.export_id
    where b.team_id = ${teamId} and b.kind = 'download' and r.finished_at_ms is null`;
  return Number(rows[0]?.n ?? 0);
}

/** Runs of downloads of an environment, newest first. */
export function listDownloads(tx: Tx, teamId: number, page: Page): Promise<Listed<BatchExportRun>> {
  const where = tx`team_id = ${teamId} and export_id in (
    select id from batch_exports where team_id = ${teamId} and kind = 'download' and deleted = 0)`;
  return selectPage(
    tx,
    { table: "batch_export_runs", where, order: tx`created_at_ms desc, id desc`, read: runFromRow },
    page,
  );
}

/** The run of a download, by its id. */
export async function findDownload(tx: Tx, teamId: number, id: string): Promise<BatchExportRun | null> {
  const rows: RunRow[] = await tx`select r.* from batch_export_runs r join batch_exports b on b.id = r.export_id
    where r.id = ${id} and r.team_id = ${teamId} and b.kind = 'download' and b.deleted = 0`;
  return rows[0] === undefined ? null : runFromRow(rows[0]);
}

/** Runs of downloads that ended before a moment and whose files are still there. */
export async function oldDownloads(tx: Tx, beforeMs: number): Promise<{ id: string; exportId: string }[]> {
  const rows: { id: string; export_id: string }[] = await tx`select r.id, r.export_id
    from batch_export_runs r join batch_exports b on b.id = r.export_id
    where b.kind = 'download' and r.parts > 0 and r.finished_at_ms < ${beforeMs}`;
  return rows.map((row) => ({ id: row.id, exportId: row.export_id }));
}

/** Its files are gone. */
export async function forgetFiles(tx: Tx, runId: string): Promise<void> {
  await tx`update batch_export_runs set parts = 0 where id = ${runId}`;
}
