import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Catalog } from "../../src/lake/mod.ts";

export interface StoredEvent {
  uuid: string;
  event: string;
  distinctId: string;
  lane: number;
  ordinal: number;
  serial: number;
}

/** Reads the live segments of a project with an engine of its own. */
export async function readRows(catalog: Catalog, directory: string, teamId: number): Promise<StoredEvent[]> {
  const snapshot = await catalog.pin({ teamId, fromMs: null, toMs: null, ttlMs: 60_000 });
  try {
    if (snapshot.segments.length === 0) return [];
    const files = snapshot.segments.map(({ id }) => `'${join(directory, `${id}.parquet`)}'`).join(", ");
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(`
      select uuid::varchar as uuid, event, distinct_id as "distinctId", lane::int as lane, ordinal::double as ordinal,
        (properties->>'$.serial')::int as serial
      from read_parquet([${files}]) where team_id = ${teamId} order by lane, ordinal`);
    const rows = reader.getRowObjects() as unknown as StoredEvent[];
    connection.closeSync();
    instance.closeSync();
    return rows;
  } finally {
    await catalog.unpin(snapshot.pinId);
  }
}
