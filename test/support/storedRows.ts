import { DuckDBInstance } from "@duckdb/node-api";
import { type Catalog, LocalStore } from "../../src/lake/mod.ts";
import { relationsOf } from "../../src/lake/reading/relations.ts";

export interface StoredEvent {
  uuid: string;
  event: string;
  distinctId: string;
  lane: number;
  ordinal: number;
  serial: number;
}

/**
 * Reads the live segments of a project with an engine of its own. The folder of the files is asked for when they are held: none of them is removed
 * from then on.
 */
export async function readRows(catalog: Catalog, directoryOf: () => string, teamId: number): Promise<StoredEvent[]> {
  const pinId = await catalog.holdFiles(60_000);
  try {
    const snapshot = await catalog.readSnapshot({ teamId, fromMs: null, toMs: null });
    if (snapshot.segments.length === 0) return [];
    const request = { persons: false, properties: false, keys: [["serial"] as const] };
    const events = relationsOf(snapshot, new LocalStore(directoryOf())).events(
      request,
      (text) => `'${text.replaceAll("'", "''")}'`,
    );
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(`
      select uuid::varchar as uuid, event, distinct_id as "distinctId", lane::int as lane, ordinal::double as ordinal,
        k0::int as serial
      from ${events} order by lane, created_at, ordinal`);
    const rows = reader.getRowObjects() as unknown as StoredEvent[];
    connection.closeSync();
    instance.closeSync();
    return rows;
  } finally {
    await catalog.unpin(pinId);
  }
}
