import { lstat } from "node:fs/promises";
import { writeAvro } from "./avro.ts";
import { MANIFEST_ENTRY, MANIFEST_FILE } from "./manifestSchemas.ts";
import { type Field, schemaOf } from "./schema.ts";

/** A data file of a table. */
export interface DataFile {
  /** Its whole address. */
  address: string;
  rows: number;
  bytes: number;
  /** The number of a column of times, and between which its values lie, epoch microseconds as decimal texts. */
  times: { field: number; min: string; max: string } | null;
  /** Of the snapshot that added it. */
  snapshotId: number;
  sequence: number;
}

/** What a snapshot changes. */
export interface SnapshotFiles {
  snapshotId: number;
  parentId: number | null;
  sequence: number;
  added: readonly DataFile[];
  kept: readonly DataFile[];
  removed: readonly DataFile[];
}

const STATUS = { kept: 0, added: 1, removed: 2 } as const;

/** The one manifest of a snapshot: every file that it has, and those that it took away. */
export function writeManifest(
  path: string,
  o: SnapshotFiles,
  schema: { fields: readonly Field[]; id: number },
): Promise<void> {
  const entry = (status: number, snapshotId: number) => (file: DataFile) => ({
    status,
    snapshot_id: snapshotId,
    sequence_number: file.sequence,
    file_sequence_number: file.sequence,
    data_file: dataFile(file),
  });
  const entries = [
    ...o.added.map(entry(STATUS.added, o.snapshotId)),
    ...o.kept.map((file) => entry(STATUS.kept, file.snapshotId)(file)),
    ...o.removed.map(entry(STATUS.removed, o.snapshotId)),
  ];
  return writeAvro(path, MANIFEST_ENTRY, entries, {
    schema: JSON.stringify(schemaOf(schema.fields, schema.id)),
    "schema-id": String(schema.id),
    "partition-spec": "[]",
    "partition-spec-id": "0",
    "format-version": "2",
    content: "data",
  });
}

function dataFile({ address, rows, bytes, times }: DataFile): object {
  const bound = (us: string) => [{ key: times!.field, value: longBytes(BigInt(us)) }];
  return {
    content: 0,
    file_path: address,
    file_format: "PARQUET",
    partition: {},
    record_count: rows,
    file_size_in_bytes: bytes,
    lower_bounds: times === null ? null : bound(times.min),
    upper_bounds: times === null ? null : bound(times.max),
  };
}

function longBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

/** The list of a snapshot's manifests, which is that one. `manifest`: its path here and its address. */
export async function writeManifestList(
  path: string,
  manifest: { path: string; address: string },
  o: SnapshotFiles,
): Promise<void> {
  const rows = (files: readonly DataFile[]) => files.reduce((sum, file) => sum + file.rows, 0);
  const live = [...o.added, ...o.kept];
  const entry = {
    manifest_path: manifest.address,
    manifest_length: (await lstat(manifest.path)).size,
    partition_spec_id: 0,
    content: 0,
    sequence_number: o.sequence,
    min_sequence_number: Math.min(o.sequence, ...live.map(({ sequence }) => sequence)),
    added_snapshot_id: o.snapshotId,
    added_files_count: o.added.length,
    existing_files_count: o.kept.length,
    deleted_files_count: o.removed.length,
    added_rows_count: rows(o.added),
    existing_rows_count: rows(o.kept),
    deleted_rows_count: rows(o.removed),
  };
  await writeAvro(path, MANIFEST_FILE, [entry], {
    "snapshot-id": String(o.snapshotId),
    "parent-snapshot-id": String(o.parentId),
    "sequence-number": String(o.sequence),
    "format-version": "2",
  });
}
