import { describeError, TerminalError, WeirError } from "../types/mod.ts";
import type { Db, Tx } from "./db.ts";
import { type Migration, migrate } from "./migration.ts";
import { PostgresDb } from "./postgres.ts";
import { StoreUnreachable } from "./retryBusy.ts";
import { SqliteDb } from "./sqlite.ts";

export interface Target {
  databaseUrl: string | null;
  sqlitePath: string;
  /** Of PostgreSQL: a write in which nothing happens for so long is rolled back; 10 s when absent. */
  writeIdleMs?: number;
}

/**
 * A process that stands still in a write holds its locks, and every commit waits for them: PostgreSQL ends such a write after this time. Between
 * two statements of one there is a calculation at most.
 */
const WRITE_IDLE_MS = 10_000;

/**
 * Opens the store and brings its schema up to date; makes it where it is missing. Throws TerminalError `store_unreachable`,
 * `schema_newer`, and `no_data` for a store that is missing and `mustExist`.
 */
export async function openStore(
  target: Target,
  { migrations, mustExist }: { migrations: readonly Migration[]; mustExist: boolean },
): Promise<Db> {
  const { db, hasSchema } = await reach(target);
  try {
    if (mustExist && !hasSchema) {
      throw new TerminalError("no_data", `There is no Weir in ${placeOf(target)}. \`weir start\` makes one.`);
    }
    await migrate(db, migrations);
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

/** The address of a database may hold a password. */
const placeOf = ({ databaseUrl, sqlitePath }: Target) =>
  databaseUrl === null ? sqlitePath : "the database of DATABASE_URL";

async function reach(target: Target): Promise<{ db: Db; hasSchema: boolean }> {
  const { databaseUrl, sqlitePath, writeIdleMs = WRITE_IDLE_MS } = target;
  try {
    const db = databaseUrl === null ? await SqliteDb.open(sqlitePath) : new PostgresDb(databaseUrl, writeIdleMs);
    return { db, hasSchema: await db.read((tx) => isSchemaThere(tx, db.dialect)) };
  } catch (error) {
    const cause = error instanceof StoreUnreachable ? error.cause : error;
    if (cause instanceof WeirError) throw cause;
    const problem = `${placeOf(target)} cannot be opened: ${describeError(cause)}`;
    throw new TerminalError("store_unreachable", problem, { cause });
  }
}

async function isSchemaThere(tx: Tx, dialect: Db["dialect"]): Promise<boolean> {
  const rows =
    dialect === "postgres"
      ? await tx`select 1 from information_schema.tables
                 where table_schema = current_schema() and table_name = 'schema_migrations'`
      : await tx`select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'`;
  return rows.length > 0;
}
