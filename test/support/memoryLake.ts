import {
  DuckDBDateValue,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import type { Lake, LakeQuery, QueryOutcome, Relations, SqlValue } from "../../src/lake/mod.ts";
import { relationsOf } from "../../src/lake/relation.ts";
import { personIdOf, TerminalError } from "../../src/types/mod.ts";

/** An event of a test; person defaults to that of the distinct_id. */
export interface TestEvent {
  uuid?: string;
  event: string;
  distinctId: string;
  personId?: string;
  timestampMs: number;
  createdAtMs?: number;
  /** JSON text, kept as it is; or a value. */
  properties?: string | Record<string, unknown>;
  elementsChain?: string;
  /** As stored: 0 full, 1 propertyless. */
  personMode?: number;
}

const COLUMNS = `uuid UUID, event VARCHAR, distinct_id VARCHAR, person_id UUID, timestamp TIMESTAMP,
  created_at TIMESTAMP, lane UTINYINT, ordinal BIGINT, properties VARCHAR,
  elements_chain VARCHAR, person_mode UTINYINT`;

/** The lake's query face over a table in memory, with the same values in `rowsJson` and nothing else of a lake. */
export class MemoryLake implements Lake {
  /** The SQL of the last query. */
  lastSql = "";
  lastRange: LakeQuery["range"] | null = null;

  private constructor(private readonly instance: DuckDBInstance) {}

  static async open(events: readonly TestEvent[] = []): Promise<MemoryLake> {
    const instance = await DuckDBInstance.create(":memory:", { threads: "2", memory_limit: "1GB" });
    const lake = new MemoryLake(instance);
    await lake.run(`CREATE TABLE events (${COLUMNS})`);
    await lake.add(events);
    return lake;
  }

  /** Any statement, for setting up. */
  async run(sql: string): Promise<void> {
    const connection = await this.instance.connect();
    await connection.run(sql);
    connection.closeSync();
  }

  async add(events: readonly TestEvent[]): Promise<void> {
    const rows = events.map((event, i) => ({
      uuid: event.uuid ?? crypto.randomUUID(),
      event: event.event,
      distinct_id: event.distinctId,
      person_id: event.personId ?? personIdOf(1, event.distinctId),
      ms: event.timestampMs,
      created_ms: event.createdAtMs ?? event.timestampMs,
      ordinal: i,
      properties: typeof event.properties === "string" ? event.properties : JSON.stringify(event.properties ?? {}),
      elements_chain: event.elementsChain ?? "",
      person_mode: event.personMode ?? 0,
    }));
    const connection = await this.instance.connect();
    for (let i = 0; i < rows.length; i += 5000) {
      const list = rows.slice(i, i + 5000).map((row) => JSON.stringify(row));
      await connection.run(
        `INSERT INTO events SELECT (j->>'$.uuid')::UUID, j->>'$.event', j->>'$.distinct_id', (j->>'$.person_id')::UUID,
           make_timestamp_ms((j->>'$.ms')::BIGINT), make_timestamp_ms((j->>'$.created_ms')::BIGINT), 0,
           (j->>'$.ordinal')::BIGINT, j->>'$.properties', j->>'$.elements_chain',
           (j->>'$.person_mode')::UTINYINT FROM (SELECT unnest($1) AS j)`,
        [listValue(list)],
        [LIST(VARCHAR)],
      );
    }
    connection.closeSync();
  }

  async query(query: LakeQuery): Promise<QueryOutcome> {
    const { text, params } = query.sql(RELATIONS);
    this.lastSql = text;
    this.lastRange = query.range;
    const connection = await this.instance.connect();
    const startedAt = performance.now();
    try {
      const types = Object.fromEntries(params.map((value, i) => [String(i + 1), typeOf(value)]));
      const values = Object.fromEntries(params.map((value, i) => [String(i + 1), duckValue(value)]));
      const reader = await connection.runAndReadAll(text, values, types);
      const rows = reader.getRows();
      const columnTypes = reader.columnTypes();
      return {
        columns: reader.columnNames(),
        types: columnTypes.map(String),
        rowsJson: JSON.stringify(rows.slice(0, query.maxRows).map((row) => row.map(jsonOf))),
        rowCount: Math.min(rows.length, query.maxRows),
        hasMore: rows.length > query.maxRows,
        elapsedMs: performance.now() - startedAt,
        files: 1,
      };
    } catch (error) {
      throw new TerminalError("query_failed", String(error));
    } finally {
      connection.closeSync();
    }
  }

  async close(): Promise<void> {
    this.instance.closeSync();
  }
}

/** A project of events only: of persons and groups nothing was ever said. */
const RELATIONS: Relations = Object.assign(
  relationsOf({ pinId: "", version: 0, teamId: 1, segments: [], logs: [], mergesVersion: 0 }),
  { events: () => "(SELECT * FROM events)" },
);

function typeOf(value: SqlValue): DuckDBType | undefined {
  return Array.isArray(value) ? LIST(VARCHAR) : undefined;
}

function duckValue(value: SqlValue): DuckDBValue {
  return Array.isArray(value) ? listValue(value.map(duckValue)) : value;
}

function jsonOf(value: DuckDBValue): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof DuckDBTimestampValue) {
    return (
      new Date(Number(value.micros / 1000n)).toISOString().slice(0, 23) + String(value.micros % 1000n).padStart(3, "0")
    );
  }
  if (value instanceof DuckDBDateValue) return value.toString();
  if ("items" in value) return (value.items as DuckDBValue[]).map(jsonOf);
  if ("toDouble" in value) return value.toDouble();
  return String(value);
}
