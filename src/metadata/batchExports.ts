import { type Listed, type ListPage, numberOrNull, type Stored, Table, type Tx } from "../store/mod.ts";
import { type Json, type JsonObject, uuidV7 } from "../types/mod.ts";

/** Where the rows of a batch export go. */
export interface ExportDestination {
  /** `S3`, `Postgres`, `FileDownload`, … */
  type: string;
  /** What may be shown of its settings. */
  config: JsonObject;
  /** The rest of them, encrypted; '' where there is none. */
  secrets: string;
}

/** When the runs of a batch export are. */
export interface ExportCycle {
  /** As the API names it, e.g. `hour`; null for what is exported once. */
  interval: string | null;
  /** IANA name. */
  timezone: string;
  /** 0 Sunday; null outside of weeks. */
  offsetDay: number | null;
  /** Null outside of days and weeks. */
  offsetHour: number | null;
}

export interface BatchExport extends ExportCycle {
  id: string;
  teamId: number;
  /** `download`: files that were asked for once. */
  kind: "scheduled" | "download";
  name: string;
  /** `events`, `persons`, `sessions`, `hogql`. */
  model: string;
  destination: ExportDestination;
  hogqlQuery: string | null;
  /** Conditions on events, as queries have them; null for none. */
  filters: Json;
  /** What is kept for clients and has no effect. */
  options: JsonObject;
  paused: boolean;
  deleted: boolean;
  startAtMs: number | null;
  endAtMs: number | null;
  /** Where the next interval begins; null for a download. */
  nextFromMs: number | null;
  createdBy: number | null;
  createdAtMs: number;
  lastUpdatedAtMs: number;
  lastPausedAtMs: number | null;
}

interface Row {
  id: string;
  team_id: Stored;
  kind: BatchExport["kind"];
  name: string;
  model: string;
  destination: string;
  config: string;
  secrets: string;
  cycle: string | null;
  timezone: string;
  offset_day: Stored | null;
  offset_hour: Stored | null;
  hogql_query: string | null;
  filters: string;
  options: string;
  paused: Stored;
  deleted: Stored;
  start_at_ms: Stored | null;
  end_at_ms: Stored | null;
  next_from_ms: Stored | null;
  created_by: Stored | null;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  last_paused_at_ms: Stored | null;
}

const fromRow = (row: Row): BatchExport => ({
  id: row.id,
  teamId: Number(row.team_id),
  kind: row.kind,
  name: row.name,
  model: row.model,
  destination: { type: row.destination, config: JSON.parse(row.config), secrets: row.secrets },
  interval: row.cycle,
  timezone: row.timezone,
  offsetDay: numberOrNull(row.offset_day),
  offsetHour: numberOrNull(row.offset_hour),
  hogqlQuery: row.hogql_query,
  filters: JSON.parse(row.filters),
  options: JSON.parse(row.options),
  paused: Number(row.paused) === 1,
  deleted: Number(row.deleted) === 1,
  startAtMs: numberOrNull(row.start_at_ms),
  endAtMs: numberOrNull(row.end_at_ms),
  nextFromMs: numberOrNull(row.next_from_ms),
  createdBy: numberOrNull(row.created_by),
  createdAtMs: Number(row.created_at_ms),
  lastUpdatedAtMs: Number(row.updated_at_ms),
  lastPausedAtMs: numberOrNull(row.last_paused_at_ms),
});

const rowOf = (item: BatchExport): Row => ({
  id: item.id,
  team_id: item.teamId,
  kind: item.kind,
  name: item.name,
  model: item.model,
  destination: item.destination.type,
  config: JSON.stringify(item.destination.config),
  secrets: item.destination.secrets,
  cycle: item.interval,
  timezone: item.timezone,
  offset_day: item.offsetDay,
  offset_hour: item.offsetHour,
  hogql_query: item.hogqlQuery,
  filters: JSON.stringify(item.filters),
  options: JSON.stringify(item.options),
  paused: Number(item.paused),
  deleted: Number(item.deleted),
  start_at_ms: item.startAtMs,
  end_at_ms: item.endAtMs,
  next_from_ms: item.nextFromMs,
  created_by: item.createdBy,
  created_at_ms: item.createdAtMs,
  updated_at_ms: item.lastUpdatedAtMs,
  last_paused_at_ms: item.lastPausedAtMs,
});

/** One of a new id that exports all events, before its owner's wishes. */
export function blankBatchExport(teamId: number, nowMs: number): BatchExport {
  return {
    id: uuidV7(nowMs),
    teamId,
    kind: "scheduled",
    name: "",
    model: "events",
    destination: { type: "", config: {}, secrets: "" },
    interval: "hour",
    timezone: "UTC",
    offsetDay: null,
    offsetHour: null,
    hogqlQuery: null,
    filters: null,
    options: {},
    paused: false,
    deleted: false,
    startAtMs: null,
    endAtMs: null,
    nextFromMs: null,
    createdBy: null,
    createdAtMs: nowMs,
    lastUpdatedAtMs: nowMs,
    lastPausedAtMs: null,
  };
}

const table = new Table<Row, BatchExport>("batch_exports", fromRow);

export function createBatchExport(tx: Tx, item: BatchExport): Promise<BatchExport> {
  return table.insert(tx, rowOf(item));
}

/** Saves a changed one, but for where its next interval begins: the schedule moves that. */
export async function updateBatchExport(tx: Tx, item: BatchExport): Promise<void> {
  const { id, next_from_ms: _, ...columns } = rowOf(item);
  await table.update(tx, id, columns);
}

/** One of an environment that is not deleted. */
export function findBatchExport(
  tx: Tx,
  teamId: number,
  id: string,
  kind: BatchExport["kind"] = "scheduled",
): Promise<BatchExport | null> {
  return table.find(tx, teamId, tx`id = ${id} and kind = ${kind} and deleted = 0`);
}

/** The scheduled ones of an environment, as far as they are not deleted. */
export function listBatchExports(tx: Tx, teamId: number, page: ListPage): Promise<Listed<BatchExport>> {
  return table.page(tx, teamId, tx`kind = 'scheduled' and deleted = 0`, page);
}

/** Any one, also where it is deleted. */
export async function readBatchExport(tx: Tx, id: string): Promise<BatchExport | null> {
  const rows: Row[] = await tx`select * from batch_exports where id = ${id}`;
  return rows[0] === undefined ? null : fromRow(rows[0]);
}

/** Whether there was ever one. */
export async function hasExports(tx: Tx): Promise<boolean> {
  const rows: object[] = await tx`select 1 from batch_exports limit 1`;
  return rows.length > 0;
}

/** Those of all environments whose schedule goes on. */
export async function activeBatchExports(tx: Tx): Promise<BatchExport[]> {
  const rows: Row[] = await tx`select b.* from batch_exports b join environments e on e.id = b.team_id
    where b.kind = 'scheduled' and b.deleted = 0 and b.paused = 0 and e.deleted_at_ms is null order by b.id`;
  return rows.map(fromRow);
}

/** The next interval begins there. */
export async function setNextFrom(tx: Tx, id: string, nextFromMs: number): Promise<void> {
  await tx`update batch_exports set next_from_ms = ${nextFromMs} where id = ${id}`;
}
