import { existsSync } from "node:fs";
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  HUGEINT,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { openInstance, sqlString } from "../duckdb.ts";
import type { ProcessSettings, SqlValue, Statement, StatementResult } from "./messages.ts";
import { MissingSegment } from "./queryErrors.ts";
import { ResultTooLarge, rowsToJson } from "./resultJson.ts";

interface Instance {
  database: DuckDBInstance;
  connection: DuckDBConnection;
}

/** Runs one statement at a time, each on a DuckDB instance of its own that can read nothing but the given files. */
export class Runner {
  private next: Promise<Instance>;
  private running: { connection: DuckDBConnection } | null = null;
  private isCancelled = false;

  constructor(private readonly settings: ProcessSettings) {
    this.next = expected(this.prepare());
  }

  /** The first instance stands. */
  async ready(): Promise<void> {
    await this.next;
  }

  /** Errors are DuckDB's own, ResultTooLarge or MissingSegment. */
  async run(statement: Statement): Promise<StatementResult> {
    const startedAt = performance.now();
    this.isCancelled = false;
    const { database, connection } = await this.next;
    this.running = { connection };
    try {
      await this.lock(connection, statement.files);
      await this.materialize(connection, statement);
      const rows = await this.step(() => connection.prepare("select * from result"));
      await this.checkSize(connection, rows, statement.maxResultBytes);
      const result = await this.step(() => rows.run());
      const rowCount = Math.min(result.rowCount, statement.maxRows);
      return {
        types: result.columnTypes().map(String),
        rowsJson: rowsToJson(result, statement.maxRows, statement.maxResultBytes),
        rowCount,
        hasMore: result.rowCount > statement.maxRows,
        elapsedMs: performance.now() - startedAt,
      };
    } catch (error) {
      // DuckDB has several messages for it; what is on the disk is certain.
      if (statement.files.some((name) => !existsSync(name))) throw new MissingSegment();
      throw error;
    } finally {
      this.running = null;
      this.next = expected(this.renew({ database, connection }));
    }
  }

  /** Ends the running statement with an INTERRUPT error; one long expression may not notice. */
  cancel(): void {
    this.isCancelled = true;
    this.running?.connection.interrupt();
  }

  /** The answer goes out first: to free what a query has used takes milliseconds, and to make an instance some 25. */
  private async renew({ database, connection }: Instance): Promise<Instance> {
    await new Promise((resolve) => setImmediate(resolve));
    connection.closeSync();
    database.closeSync();
    return this.prepare();
  }

  private async prepare(): Promise<Instance> {
    const { threads, memoryLimitBytes, spillDirectory, spillLimitBytes } = this.settings;
    const options = { threads, memoryLimitBytes, tempDirectory: spillDirectory, tempLimitBytes: spillLimitBytes };
    const database = await openInstance(options);
    return { database, connection: await database.connect() };
  }

  /** From here on the statement can read its files, and change nothing. */
  private async lock(connection: DuckDBConnection, names: readonly string[]): Promise<void> {
    const files = names.map(sqlString);
    await this.step(() =>
      connection.run(
        `set allowed_paths = [${files.join(", ")}]; set enable_external_access = false; set lock_configuration = true`,
      ),
    );
  }

  /** Runs the statement into a temporary table, so that its size is known before it is converted. In brackets only a query can stand. */
  private async materialize(connection: DuckDBConnection, { text, params, maxRows }: Statement): Promise<void> {
    const whole = `create temp table result as select * from (${text}\n) limit ${maxRows + 1}`;
    const statements = await this.step(() => connection.extractStatements(whole));
    if (statements.count !== 1) throw new Error("Invalid Input Error: exactly one statement is allowed");
    const only = await this.step(() => statements.prepare(0));
    bindAll(only, params);
    await this.step(() => only.run());
    only.destroySync();
  }

  private async checkSize(connection: DuckDBConnection, rows: DuckDBPreparedStatement, maxResultBytes: number) {
    const columns = Array.from({ length: rows.columnCount }, (_, i) => i);
    const variable = columns.filter((i) => VARIABLE_TYPES.has(rows.columnTypeId(i)));
    if (variable.length === 0) return;
    const bytes = variable.map((i) => `coalesce(sum(strlen(c${i}::varchar)), 0)`).join(" + ");
    const names = columns.map((i) => `c${i}`).join(", ");
    const result = await this.step(() => connection.run(`select ${bytes} from result t(${names})`));
    const [[sum] = []] = await result.getRows();
    if (Number(sum) > maxResultBytes) throw new ResultTooLarge();
  }

  /** A cancel may come between two statements, where an interrupt would reach nothing. */
  private async step<T>(body: () => Promise<T>): Promise<T> {
    if (this.isCancelled) throw new Error("INTERRUPT Error: cancelled");
    return body();
  }
}

/** Whoever awaits it learns of a failure; until then nobody has to. */
function expected<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Values of any length. */
const VARIABLE_TYPES = new Set([
  DuckDBTypeId.VARCHAR,
  DuckDBTypeId.BLOB,
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
  DuckDBTypeId.BIT,
  DuckDBTypeId.BIGNUM,
  DuckDBTypeId.VARIANT,
]);

function bindAll(prepared: DuckDBPreparedStatement, params: readonly SqlValue[]): void {
  for (const [i, value] of params.entries()) prepared.bindValue(i + 1, toDuckDB(value), typeOf(value));
}

function toDuckDB(value: SqlValue): DuckDBValue {
  return Array.isArray(value) ? listValue(value.map(toDuckDB)) : value;
}

const INT64_LIMIT = 2n ** 63n;

function typeOf(value: SqlValue): DuckDBType | undefined {
  if (Array.isArray(value)) return LIST(elementType(value));
  switch (typeof value) {
    case "string":
      return VARCHAR;
    case "boolean":
      return BOOLEAN;
    case "number":
      return Number.isSafeInteger(value) ? BIGINT : DOUBLE;
    case "bigint":
      return value >= -INT64_LIMIT && value < INT64_LIMIT ? BIGINT : HUGEINT;
    default:
      return undefined;
  }
}

/** A list has one type: the widest of its elements'. */
function elementType(values: readonly SqlValue[]): DuckDBType {
  const types = values.filter((value) => value !== null).map((value) => typeOf(value)!);
  if (types.some((type) => type === VARCHAR) || types.length === 0) return VARCHAR;
  for (const wide of [DOUBLE, HUGEINT]) if (types.includes(wide)) return wide;
  return types[0]!;
}
