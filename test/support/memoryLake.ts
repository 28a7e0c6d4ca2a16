import {
  DOUBLE,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBInstance,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampValue,
  type DuckDBType,
  type DuckDBValue,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { registerOwnFunctions } from "../../src/lake/engine/ownFunctions.ts";
import {
  type Lake,
  type LakeQuery,
  pointerOf,
  type QueryOutcome,
  type Relations,
  type SqlValue,
} from "../../src/lake/mod.ts";
import { WalkSession, WalkTable } from "../../src/lake/walking/mod.ts";
import { type GroupIndex, personIdOf, TerminalError } from "../../src/types/mod.ts";

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

/** A person of a test, after all merges; its id defaults to that of the first distinct_id. */
export interface TestPerson {
  id?: string;
  distinctIds: string[];
  properties?: Record<string, unknown>;
  createdAtMs?: number;
  isIdentified?: boolean;
}

export interface TestGroup {
  index: GroupIndex;
  key: string;
  properties?: Record<string, unknown>;
  createdAtMs?: number;
}

const COLUMNS = `uuid UUID, event VARCHAR, distinct_id VARCHAR, person_id UUID, timestamp TIMESTAMP,
  created_at TIMESTAMP, lane UTINYINT, ordinal BIGINT, properties VARCHAR,
  elements_chain VARCHAR, person_mode UTINYINT`;

const pointerTo = (key: string) => `'/' || replace(replace(${key}, '~', '~0'), '/', '~1')`;
const valuesOf = (columns: string, from: string, key: string) =>
  `(SELECT * FROM (SELECT ${columns}, CAST(json_extract(properties, ${pointerTo(key)}) AS VARCHAR) AS value FROM ${from})
    WHERE value IS NOT NULL)`;

/** The same columns as the lake's own, over the tables below. */
const RELATIONS: Relations = {
  journeys: () => null,
  events: ({ persons, keys, numbers = false, times }, parameter) => {
    const read = keys.flatMap((path, i) => {
      const value = `json_extract_string(properties, ${parameter(pointerOf(path))})`;
      return [`${value} AS k${i}`, `TRY_CAST(replace(${value}, '_', 'x') AS DOUBLE) AS n${i}`];
    });
    const of = times === undefined ? "" : `WHERE timestamp IN (${times})`;
    const person = "coalesce(d.person_id, e.person_id)";
    const numbered = numbers ? ["CAST(NULL AS INTEGER) AS person_number", `${person} AS person_unnumbered`] : [];
    return persons || numbers
      ? `(SELECT ${[`e.* REPLACE (${person} AS person_id)`, ...read, ...numbered].join(", ")}
          FROM events e LEFT JOIN distinct_ids d USING (distinct_id) ${of})`
      : `(SELECT ${["*", ...read].join(", ")} FROM events ${of})`;
  },
  activity: ({ timezone, anyEvent, persons }) => {
    const local = `timezone('${timezone}', timezone('UTC', e.timestamp))`;
    const day = `timezone('UTC', timezone('${timezone}', date_trunc('day', ${local})))`;
    const columns = [...(anyEvent ? [] : ["e.event"]), `${day} AS timestamp`, "count(*) AS events"];
    if (!persons) return `(SELECT ${columns.join(", ")} FROM events e GROUP BY ALL)`;
    const who = ["CAST(NULL AS INTEGER) AS person_number", "coalesce(d.person_id, e.person_id) AS person_unnumbered"];
    return `(SELECT ${[...columns, ...who].join(", ")} FROM events e LEFT JOIN distinct_ids d USING (distinct_id) GROUP BY ALL)`;
  },
  who: (alias) => `${alias}.person_unnumbered`,
  countPersons: ({ where }) =>
    `count(DISTINCT person_unnumbered)${where === undefined ? "" : ` FILTER (WHERE ${where})`}`,
  persons: ({ only, numbers = false }) =>
    `(SELECT *${numbers ? ", CAST(NULL AS INTEGER) AS person_number, id AS person_unnumbered" : ""} FROM persons${only === undefined ? "" : ` WHERE id IN (${only})`})`,
  distinctIds: ({ only } = {}) =>
    `(SELECT * FROM distinct_ids${only === undefined ? "" : ` WHERE person_id IN (${only})`})`,
  moved: () => "(SELECT NULL::UUID AS id, NULL::UUID AS survivor_id WHERE false)",
  personProperty: (key) => valuesOf("id AS person_id", "persons", key),
  groups: () => "(SELECT * FROM groups)",
  groupProperty: (index, key) => valuesOf("key", `(SELECT * FROM groups WHERE index = ${index})`, key),
};

/** The lake's query face over tables in memory, with the same values in `rowsJson` and nothing else of a lake. */
export class MemoryLake implements Lake {
  /** The SQL of the last query. */
  lastSql = "";
  lastRange: LakeQuery["range"] | null = null;

  private walking: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly instance: DuckDBInstance,
    /** For setting up: another one takes a millisecond to make. */
    private readonly connection: DuckDBConnection,
  ) {}

  static async open(events: readonly TestEvent[] = []): Promise<MemoryLake> {
    // Of so few rows a second thread only waits, and waiting takes a sixth of the time.
    const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "1GB" });
    await registerOwnFunctions(instance);
    const lake = new MemoryLake(instance, await instance.connect());
    await lake.run(`CREATE TABLE events (${COLUMNS})`);
    await lake.run("CREATE TABLE persons (id UUID, created_at TIMESTAMP, properties VARCHAR, is_identified BOOLEAN)");
    await lake.run("CREATE TABLE distinct_ids (distinct_id VARCHAR, person_id UUID)");
    await lake.run("CREATE TABLE groups (index UTINYINT, key VARCHAR, created_at TIMESTAMP, properties VARCHAR)");
    await lake.add(events);
    return lake;
  }

  /** Any statement, for setting up. */
  async run(sql: string): Promise<void> {
    await this.connection.run(sql);
  }

  async empty(): Promise<void> {
    await this.run("DELETE FROM events; DELETE FROM persons; DELETE FROM distinct_ids; DELETE FROM groups");
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
    await this.insert(
      rows,
      `INSERT INTO events SELECT (j->>'$.uuid')::UUID, j->>'$.event', j->>'$.distinct_id', (j->>'$.person_id')::UUID,
         make_timestamp_ms((j->>'$.ms')::BIGINT), make_timestamp_ms((j->>'$.created_ms')::BIGINT), 0,
         (j->>'$.ordinal')::BIGINT, j->>'$.properties', j->>'$.elements_chain',
         (j->>'$.person_mode')::UTINYINT FROM (SELECT unnest($1) AS j)`,
    );
  }

  async addPersons(persons: readonly TestPerson[]): Promise<void> {
    const known = persons.map((person) => ({ ...person, id: person.id ?? personIdOf(1, person.distinctIds[0]!) }));
    await this.insert(
      known.map(({ id, properties, createdAtMs, isIdentified }) => ({
        id,
        ms: createdAtMs ?? 0,
        properties: JSON.stringify(properties ?? {}),
        isIdentified: isIdentified ?? false,
      })),
      `INSERT INTO persons SELECT (j->>'$.id')::UUID, make_timestamp_ms((j->>'$.ms')::BIGINT), j->>'$.properties',
         (j->>'$.isIdentified')::BOOLEAN FROM (SELECT unnest($1) AS j)`,
    );
    await this.insert(
      known.flatMap(({ id, distinctIds }) => distinctIds.map((distinctId) => ({ id, distinctId }))),
      `INSERT INTO distinct_ids SELECT j->>'$.distinctId', (j->>'$.id')::UUID FROM (SELECT unnest($1) AS j)`,
    );
  }

  async addGroups(groups: readonly TestGroup[]): Promise<void> {
    await this.insert(
      groups.map(({ index, key, properties, createdAtMs }) => ({
        index,
        key,
        ms: createdAtMs ?? 0,
        properties: JSON.stringify(properties ?? {}),
      })),
      `INSERT INTO groups SELECT (j->>'$.index')::UTINYINT, j->>'$.key', make_timestamp_ms((j->>'$.ms')::BIGINT),
         j->>'$.properties' FROM (SELECT unnest($1) AS j)`,
    );
  }

  /** Runs an INSERT that takes its rows from a list of JSON texts. */
  private async insert(rows: readonly object[], statement: string): Promise<void> {
    for (let i = 0; i < rows.length; i += 5000) {
      const list = rows.slice(i, i + 5000).map((row) => JSON.stringify(row));
      await this.connection.run(statement, [listValue(list)], [LIST(VARCHAR)]);
    }
  }

  query(query: LakeQuery): Promise<QueryOutcome> {
    const { walks = [] } = query.sql(RELATIONS);
    if (walks.length === 0) return this.ask(query);
    // Tables of walks have the same names in all statements.
    const done = this.walking.then(() => this.ask(query));
    this.walking = done.catch(() => {});
    return done;
  }

  private async ask(query: LakeQuery): Promise<QueryOutcome> {
    const { text, params, walks = [] } = query.sql(RELATIONS);
    this.lastSql = text;
    this.lastRange = query.range;
    const connection = await this.instance.connect();
    const tables: WalkTable[] = [];
    const opened: DuckDBConnection[] = [];
    const startedAt = performance.now();
    try {
      for (const walk of walks) {
        const beside = await this.instance.connect();
        opened.push(beside);
        tables.push(new WalkTable(walk, new WalkSession(connection, beside, (body) => body())));
        await tables.at(-1)!.fill();
      }
      const types = Object.fromEntries(params.map((value, i) => [String(i + 1), typeOf(value)]));
      const values = Object.fromEntries(params.map((value, i) => [String(i + 1), duckValue(value)]));
      const reader = await connection.runAndReadAll(text, values, types);
      const rows = reader.getRows();
      const columnTypes = reader.columnTypes();
      return {
        types: columnTypes.map(String),
        rowsJson: JSON.stringify(rows.slice(0, query.maxRows).map((row) => row.map(jsonOf))),
        rowCount: Math.min(rows.length, query.maxRows),
        hasMore: rows.length > query.maxRows,
        elapsedMs: performance.now() - startedAt,
        files: 1,
        keys: [],
      };
    } catch (error) {
      throw new TerminalError("query_failed", String(error));
    } finally {
      for (const table of tables) await table.drop();
      for (const beside of opened) beside.closeSync();
      connection.closeSync();
    }
  }

  async close(): Promise<void> {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

function typeOf(value: SqlValue): DuckDBType | undefined {
  if (Array.isArray(value)) return LIST(VARCHAR);
  return typeof value === "number" && !Number.isSafeInteger(value) ? DOUBLE : undefined;
}

function duckValue(value: SqlValue): DuckDBValue {
  return Array.isArray(value) ? listValue(value.map(duckValue)) : value;
}

function jsonOf(value: DuckDBValue): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (value instanceof DuckDBTimestampValue) {
    const inMilli = ((value.micros % 1000n) + 1000n) % 1000n;
    const ms = Number((value.micros - inMilli) / 1000n);
    return new Date(ms).toISOString().slice(0, 23) + String(inMilli).padStart(3, "0");
  }
  if (value instanceof DuckDBDateValue) return value.toString();
  if ("items" in value) return (value.items as DuckDBValue[]).map(jsonOf);
  if ("toDouble" in value) return value.toDouble();
  if (value instanceof DuckDBStructValue) return mapEntries(Object.entries(value.entries));
  if (value instanceof DuckDBMapValue) return mapEntries(value.entries.map(({ key, value: of }) => [String(key), of]));
  return String(value);
}

function mapEntries(entries: readonly [string, DuckDBValue][]): unknown {
  return Object.fromEntries(entries.map(([key, value]) => [key, jsonOf(value)]));
}
