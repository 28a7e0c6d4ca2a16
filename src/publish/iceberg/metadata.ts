import { type Field, schemaOf } from "./schema.ts";

interface TableSnapshot {
  "snapshot-id": number;
  "parent-snapshot-id"?: number;
  "sequence-number": number;
  "timestamp-ms": number;
  "manifest-list": string;
  "schema-id": number;
  summary: Record<string, string>;
}

/** The metadata of a table, version 2 of the format. */
export interface TableMetadata {
  "format-version": 2;
  "table-uuid": string;
  location: string;
  "last-sequence-number": number;
  "last-updated-ms": number;
  "last-column-id": number;
  "current-schema-id": number;
  schemas: object[];
  "default-spec-id": 0;
  "partition-specs": object[];
  "last-partition-id": number;
  "default-sort-order-id": 0;
  "sort-orders": object[];
  properties: Record<string, string>;
  "current-snapshot-id": number;
  snapshots: TableSnapshot[];
  "snapshot-log": { "timestamp-ms": number; "snapshot-id": number }[];
  refs: Record<string, { "snapshot-id": number; type: "branch" }>;
}

export interface NextSnapshot {
  snapshotId: number;
  sequence: number;
  nowMs: number;
  /** The address of its list of manifests. */
  manifestList: string;
  fields: readonly Field[];
  summary: Record<string, string>;
  /** Snapshots that stay, this one among them. */
  keep: number;
}

/** The number of the schema that a table has, or is to have, with these columns. */
export function schemaIdFor(before: TableMetadata | null, fields: readonly Field[]): number {
  if (before === null) return 0;
  const id = before["current-schema-id"];
  const isSame = JSON.stringify(before.schemas[id]) === JSON.stringify(schemaOf(fields, id));
  return isSame ? id : before.schemas.length;
}

/** The metadata with one more snapshot; older ones than are kept leave it. */
export function withSnapshot(
  before: TableMetadata | null,
  table: { uuid: string; location: string; properties: Record<string, string> },
  o: NextSnapshot,
): TableMetadata {
  const schemaId = schemaIdFor(before, o.fields);
  const schemas = before === null ? [] : before.schemas;
  const snapshot: TableSnapshot = {
    "snapshot-id": o.snapshotId,
    ...(before !== null && { "parent-snapshot-id": before["current-snapshot-id"] }),
    "sequence-number": o.sequence,
    "timestamp-ms": Math.max(o.nowMs, (before?.["last-updated-ms"] ?? 0) + 1),
    "manifest-list": o.manifestList,
    "schema-id": schemaId,
    summary: o.summary,
  };
  const snapshots = [...(before?.snapshots ?? []), snapshot].slice(-o.keep);
  return {
    "format-version": 2,
    "table-uuid": before?.["table-uuid"] ?? table.uuid,
    location: table.location,
    "last-sequence-number": o.sequence,
    "last-updated-ms": snapshot["timestamp-ms"],
    "last-column-id": Math.max(...o.fields.map(({ id }) => id)),
    "current-schema-id": schemaId,
    schemas: schemaId < schemas.length ? schemas : [...schemas, schemaOf(o.fields, schemaId)],
    "default-spec-id": 0,
    "partition-specs": [{ "spec-id": 0, fields: [] }],
    "last-partition-id": 999,
    "default-sort-order-id": 0,
    "sort-orders": [{ "order-id": 0, fields: [] }],
    properties: { "write.format.default": "parquet", ...table.properties },
    "current-snapshot-id": o.snapshotId,
    snapshots,
    "snapshot-log": snapshots.map((each) => ({
      "timestamp-ms": each["timestamp-ms"],
      "snapshot-id": each["snapshot-id"],
    })),
    refs: { main: { "snapshot-id": o.snapshotId, type: "branch" } },
  };
}
