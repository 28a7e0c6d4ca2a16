import { allOf, type Fragment, type Listed, type Page, type Stored, selectPage, type Tx } from "../store/mod.ts";

const LOG_LEVELS = ["debug", "info", "log", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a run of a batch export had to say. */
export interface BatchExportLog {
  id: number;
  exportId: string;
  runId: string;
  level: LogLevel;
  message: string;
  atMs: number;
}

interface Row {
  id: Stored;
  export_id: string;
  run_id: string;
  level: LogLevel;
  message: string;
  at_ms: Stored;
}

const fromRow = (row: Row): BatchExportLog => ({
  id: Number(row.id),
  exportId: row.export_id,
  runId: row.run_id,
  level: row.level,
  message: row.message,
  atMs: Number(row.at_ms),
});

export async function addExportLog(tx: Tx, teamId: number, log: Omit<BatchExportLog, "id">): Promise<void> {
  const row = {
    team_id: teamId,
    export_id: log.exportId,
    run_id: log.runId,
    level: log.level,
    message: log.message,
    at_ms: log.atMs,
  };
  await tx`insert into batch_export_logs ${tx(row)}`;
}

export interface LogFilter {
  exportId: string;
  runId?: string | undefined;
  levels?: readonly string[] | undefined;
  /** A part of the message. */
  search?: string | undefined;
  afterMs?: number | undefined;
  beforeMs?: number | undefined;
}

/** One page, newest first. */
export function listExportLogs(tx: Tx, filter: LogFilter, page: Page): Promise<Listed<BatchExportLog>> {
  const conditions: Fragment[] = [tx`export_id = ${filter.exportId}`];
  if (filter.runId !== undefined) conditions.push(tx`run_id = ${filter.runId}`);
  if (filter.levels !== undefined) conditions.push(tx`level in ${tx([...filter.levels])}`);
  if (filter.afterMs !== undefined) conditions.push(tx`at_ms > ${filter.afterMs}`);
  if (filter.beforeMs !== undefined) conditions.push(tx`at_ms < ${filter.beforeMs}`);
  if (filter.search !== undefined) {
    const pattern = `%${filter.search.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    conditions.push(tx`lower(message) like ${pattern} escape '\\'`);
  }
  const where = allOf(tx, conditions);
  return selectPage(tx, { table: "batch_export_logs", where, order: tx`id desc`, read: fromRow }, page);
}

/** Forgets what was said before a moment. */
export async function forgetExportLogs(tx: Tx, beforeMs: number): Promise<void> {
  await tx`delete from batch_export_logs where at_ms < ${beforeMs}`;
}
