import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  DISTINCT_ID_COLUMNS,
  EVENT_COLUMNS,
  FIRST_PROPERTY_NUMBER,
  type LakePublisher,
  PERSON_COLUMNS,
  type PublishView,
  type WrittenRows,
} from "../lake/mod.ts";
import { type Field, namedApart } from "./iceberg/mod.ts";
import { type PublishedFile, PublishedTable, type TableState, type Target } from "./table.ts";

export interface PublishOptions {
  publisher: LakePublisher;
  target: Target;
  /** Snapshots of each table that stay readable. */
  keep: number;
  nowMs: number;
  signal: AbortSignal;
}

/** What became of a table. */
export interface TableReport {
  table: string;
  rows: number;
  files: number;
  /** Files that were written for this snapshot. */
  written: number;
  /** False where nothing has changed since the last time: there is no new snapshot then. */
  isNew: boolean;
}

const WHOLE_TABLES = { persons: PERSON_COLUMNS, distinct_ids: DISTINCT_ID_COLUMNS };
const WHOLE_NAMES = ["persons", "distinct_ids"] as const;
const TYPES: Readonly<Record<string, Field["type"]>> = {
  timestamp: "timestamptz",
  created_at: "timestamptz",
  is_identified: "boolean",
};

/**
 * Brings the tables `events`, `persons` and `distinct_ids` of a project to where the catalog is. Errors: those of the view and of the
 * place, TerminalError `not_published`, `other_project`; with these two nothing is written.
 */
export function publish(o: PublishOptions): Promise<TableReport[]> {
  return o.publisher.read(o.target.project.id, o.signal, async (view) => {
    const { scratch } = o.target;
    const events = await PublishedTable.open(o.target, "events");
    const wholes = await Promise.all(WHOLE_NAMES.map((name) => PublishedTable.open(o.target, name)));
    try {
      await mkdir(scratch, { recursive: true });
      const reports = [await publishEvents(view, events, o)];
      for (const [i, name] of WHOLE_NAMES.entries()) reports.push(await publishWhole(view, name, wholes[i]!, o));
      return reports;
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
}

/** A file a segment. One that shows the same as before stays; merges and deletions are worked in where they are seen. */
async function publishEvents(view: PublishView, table: PublishedTable, o: PublishOptions): Promise<TableReport> {
  const snapshotId = newSnapshotId();
  const before = new Map(table.known?.files.map((file) => [file.segmentId, file]));
  const mayDiffer = table.known === null || mayShowOthers(view, table.known);
  const files: PublishedFile[] = [];
  for (const segmentId of view.segmentIds) {
    o.signal.throwIfAborted();
    const known = before.get(segmentId);
    const hasAllKeys = known !== undefined && known.keys === view.keys.length;
    if (hasAllKeys && (!mayDiffer || (await view.markOf(segmentId)) === known.mark)) {
      files.push(known);
      continue;
    }
    const written = await view.writeEvents(segmentId, join(o.target.scratch, "rows.parquet"));
    if (written.rows === 0) continue;
    const mark = await view.markOf(segmentId);
    const file = await put(table, written, { snapshotId, name: `${segmentId}-${snapshotId}.parquet` });
    files.push({ ...file, segmentId, mark, keys: view.keys.length });
  }
  return commit(table, view, { ...o, snapshotId, files, fields: eventFields(view.keys) });
}

/** Without a merge or a deletion since, a segment shows what it showed. */
function mayShowOthers(view: PublishView, state: TableState): boolean {
  return view.mergesVersion !== state.mergesVersion || view.erasedAt > state.version;
}

async function publishWhole(
  view: PublishView,
  name: keyof typeof WHOLE_TABLES,
  table: PublishedTable,
  o: PublishOptions,
): Promise<TableReport> {
  if (table.known?.version === view.version) return reportOf(table, table.known.files, 0, false);
  const snapshotId = newSnapshotId();
  const files: PublishedFile[] = [];
  for (const [i, written] of (await view.writeTable(name, join(o.target.scratch, name))).entries()) {
    o.signal.throwIfAborted();
    const file = await put(table, written, { snapshotId, name: `${snapshotId}-${i}.parquet` });
    files.push({ ...file, segmentId: null, mark: "", keys: 0 });
  }
  return commit(table, view, { ...o, snapshotId, files, fields: fieldsOf(WHOLE_TABLES[name]) });
}

async function put(table: PublishedTable, written: WrittenRows, o: { snapshotId: number; name: string }) {
  const { rows, bytes, times } = written;
  const { name, address } = await table.add(written.path, o.name);
  await rm(written.path);
  const bounds = times === null ? null : { field: TIMESTAMP_NUMBER, min: String(times.min), max: String(times.max) };
  return { name, address, rows, bytes, times: bounds, snapshotId: o.snapshotId, sequence: table.nextSequence };
}

async function commit(
  table: PublishedTable,
  { version, mergesVersion }: PublishView,
  o: PublishOptions & { snapshotId: number; files: PublishedFile[]; fields: readonly Field[] },
): Promise<TableReport> {
  const written = o.files.filter(({ snapshotId }) => snapshotId === o.snapshotId).length;
  const isSame = written === 0 && table.known !== null && table.known.files.length === o.files.length;
  if (!isSame) {
    const state: TableState = { format: 1, version, mergesVersion, files: o.files };
    await table.commit(o.snapshotId, { fields: o.fields, state, nowMs: o.nowMs, keep: o.keep });
  }
  return reportOf(table, o.files, written, !isSame);
}

function reportOf(
  { name }: PublishedTable,
  files: readonly PublishedFile[],
  written: number,
  isNew: boolean,
): TableReport {
  return { table: name, rows: files.reduce((sum, { rows }) => sum + rows, 0), files: files.length, written, isNew };
}

const fieldsOf = (columns: object): Field[] =>
  Object.keys(columns).map((name, i) => ({ id: i + 1, name, type: TYPES[name] ?? "string" }));

const TIMESTAMP_NUMBER = fieldsOf(EVENT_COLUMNS).find(({ name }) => name === "timestamp")!.id;

/** Columns of properties carry the keys' names. A layout only grows, so that a number never means another key. */
function eventFields(keys: readonly string[]): Field[] {
  const properties = keys.map((name, i) => ({ id: FIRST_PROPERTY_NUMBER + i, name, type: "string" as const }));
  return namedApart([...fieldsOf(EVENT_COLUMNS), ...properties]);
}

/** Positive, and exact as a number of JSON. */
function newSnapshotId(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high! % 2 ** 20) * 2 ** 32 + low! + 1;
}
