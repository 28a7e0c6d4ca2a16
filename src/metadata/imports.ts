import { type Listed, type ListPage, numberOrNull, type Stored, Table, type Tx } from "../store/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/** Where an import is. `stopping`: its importer has been asked to pause. The last three are ends. */
export const IMPORT_STATES = [
  "created",
  "staging",
  "surveying",
  "sending",
  "settling",
  "checking",
  "stopping",
  "paused",
  "undoing",
  "failed",
  "undone",
  "completed",
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

const ENDS: ReadonlySet<ImportState> = new Set(["failed", "undone", "completed"]);

/** An importer is at work, as far as it has said. */
export const IMPORT_RUNS: ReadonlySet<ImportState> = new Set([
  "created",
  "staging",
  "surveying",
  "sending",
  "settling",
  "checking",
]);

/** What an import says of itself. */
export interface ImportContent {
  state: ImportState;
  /** Numbers of rows and events, by what became of them. */
  counts: JsonObject;
  /** Why it stands still; null where it does not. */
  error: string | null;
}

/** A history that was, or is being, sent in. Its events have `id` as their `$import_id`. */
export interface ImportRecord extends ImportContent {
  /** A uuid. */
  id: string;
  teamId: number;
  /** The product that the history is from. */
  source: string;
  /** Which history: a path, a host with a project. */
  origin: string;
  /** Of all that decides about the events beside the rows. */
  mappingHash: string;
  createdBy: number | null;
  createdAtMs: number;
  updatedAtMs: number;
  finishedAtMs: number | null;
}

interface ImportRow {
  id: string;
  team_id: Stored;
  source: string;
  origin: string;
  mapping_hash: string;
  state: ImportState;
  counts: string;
  error: string | null;
  created_by: Stored | null;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  finished_at_ms: Stored | null;
}

const TABLE = new Table<ImportRow, ImportRecord>("imports", (row) => ({
  id: row.id,
  teamId: Number(row.team_id),
  source: row.source,
  origin: row.origin,
  mappingHash: row.mapping_hash,
  state: row.state,
  counts: JSON.parse(row.counts),
  error: row.error,
  createdBy: numberOrNull(row.created_by),
  createdAtMs: Number(row.created_at_ms),
  updatedAtMs: Number(row.updated_at_ms),
  finishedAtMs: numberOrNull(row.finished_at_ms),
}));

const contentColumns = ({ state, counts, error }: ImportContent) => ({ state, counts: JSON.stringify(counts), error });

export function createImport(
  tx: Tx,
  o: Pick<ImportRecord, "id" | "teamId" | "source" | "origin" | "mappingHash"> & { userId: number; nowMs: number },
): Promise<ImportRecord> {
  return TABLE.insert(tx, {
    id: o.id,
    team_id: o.teamId,
    source: o.source,
    origin: o.origin,
    mapping_hash: o.mappingHash,
    ...contentColumns({ state: "created", counts: {}, error: null }),
    created_by: o.userId,
    created_at_ms: o.nowMs,
    updated_at_ms: o.nowMs,
    finished_at_ms: null,
  });
}

/** Saves what an import says of itself; gives it as it is then. */
export async function updateImport(tx: Tx, record: ImportRecord, nowMs: number): Promise<ImportRecord> {
  const finishedAtMs = ENDS.has(record.state) ? (record.finishedAtMs ?? nowMs) : null;
  await TABLE.update(tx, record.id, {
    ...contentColumns(record),
    updated_at_ms: nowMs,
    finished_at_ms: finishedAtMs,
  });
  return { ...record, updatedAtMs: nowMs, finishedAtMs };
}

/** Null for one of another environment. */
export function findImport(tx: Tx, teamId: number, id: string): Promise<ImportRecord | null> {
  return TABLE.find(tx, teamId, tx`id = ${id}`);
}

/** Columns that a list can be ordered by. */
export const IMPORT_ORDERS = { created_at: "created_at_ms" } as const;

export function listImports(
  tx: Tx,
  filter: { teamId: number; source?: string | undefined; origin?: string | undefined; state?: string | undefined },
  page: ListPage,
): Promise<Listed<ImportRecord>> {
  const { source, origin, state } = filter;
  const where = tx`1 = 1
    ${source === undefined ? tx`` : tx`and source = ${source}`}
    ${origin === undefined ? tx`` : tx`and origin = ${origin}`}
    ${state === undefined ? tx`` : tx`and state = ${state}`}`;
  return TABLE.page(tx, filter.teamId, where, page);
}
