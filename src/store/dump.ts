import { TerminalError } from "../types/mod.ts";
import type { Db, Stored, Tx } from "./db.ts";
import { quoted } from "./statement.ts";

/** A line of a dump: of one table its name and columns, then rows as lists of values. Bytes are `{"b64": …}`. */
export type DumpLine = { table: string; columns: string[] } | DumpValue[];
type DumpValue = string | number | null | { b64: string };

/** What a dump is beside its rows. */
export interface DumpFacts {
  /** Names of the migrations that made the schema, in order. */
  migrations: string[];
  /** Of each table with a generated key the highest that was ever given. */
  sequences: Record<string, number>;
  /** Rows by table. */
  rows: Record<string, number>;
}

const ROWS_AT_ONCE = 1_000;
/** What only the processes of the moment need. */
const PASSING = new Set(["pins", "leases"]);
/** Tells which migrations were applied; the facts of a dump have it. */
const MIGRATIONS = "schema_migrations";

/** Any number that no other advisory lock of the program has. */
const LOADING_LOCK = 5_701_949;

/** Takes lines in order. */
export type DumpSink = (lines: readonly DumpLine[]) => Promise<void>;

/**
 * All rows of all tables as they are at one moment, some at a time, and what `beside` reads at the same moment. A busy store is asked
 * again from the start, with a new sink. Throws TerminalError `dump_inexact`.
 */
export async function dumpStore<T>(
  db: Db,
  begin: () => DumpSink,
  beside: (tx: Tx) => Promise<T>,
): Promise<{ facts: DumpFacts; beside: T }> {
  return db.read(async (tx) => {
    const take = begin();
    const facts: DumpFacts = { migrations: await migrationsOf(tx), sequences: await sequencesOf(db, tx), rows: {} };
    for (const table of await tablesOf(db, tx)) {
      facts.rows[table] = 0;
      for await (const rows of pagesOf(db, tx, table)) {
        if (facts.rows[table] === 0) await take([{ table, columns: Object.keys(rows[0]!) }]);
        await take(rows.map((row) => Object.values(row).map((value) => dumped(value, table))));
        facts.rows[table] += rows.length;
      }
    }
    return { facts, beside: await beside(tx) };
  });
}

/**
 * Puts the rows of a dump into a store whose schema is that of the dump, in place of all that it holds, in one transaction. Throws
 * TerminalError `dump_damaged`, and `store_not_empty` as `assertUnused` does; then nothing has changed.
 */
export async function loadStore(db: Db, facts: DumpFacts, lines: () => AsyncIterable<DumpLine>): Promise<void> {
  await db.write(async (tx) => {
    // Lines may come slowly, and nobody waits for these rows.
    if (db.dialect === "postgres") await tx`set local idle_in_transaction_session_timeout = 0`;
    // Of two at once the later one waits here, and then finds the rows of the first.
    if (db.dialect === "postgres") await tx`select pg_advisory_xact_lock(${LOADING_LOCK})`;
    await assertUnused(tx);
    const tables = new Set(await tablesOf(db, tx));
    for (const table of [...tables, ...PASSING]) await tx`delete from ${tx(table)}`;
    const loaded: Record<string, number> = {};
    let head: { table: string; columns: string[] } | null = null;
    let rows: object[] = [];
    const flush = async () => {
      if (head !== null && rows.length > 0) await tx`insert into ${tx(head.table)} ${tx(rows)}`;
      rows = [];
    };
    for await (const line of lines()) {
      if (!Array.isArray(line)) {
        await flush();
        if (!tables.has(line.table)) throw new TerminalError("dump_damaged", `there is no table ${line.table}`);
        head = line;
        continue;
      }
      if (head === null) throw new TerminalError("dump_damaged", "a row stands before the first table");
      const { table, columns } = head;
      rows.push(Object.fromEntries(columns.map((column, i) => [column, loadedValue(line[i])])));
      loaded[table] = (loaded[table] ?? 0) + 1;
      if (rows.length * columns.length >= ROWS_AT_ONCE * 8) await flush();
    }
    await flush();
    for (const [table, count] of Object.entries(facts.rows)) {
      if ((loaded[table] ?? 0) !== count) {
        throw new TerminalError("dump_damaged", `${table} has ${loaded[table] ?? 0} rows instead of ${count}`);
      }
    }
    await setSequences(db, tx, facts.sequences);
  });
}

/** Throws TerminalError `store_not_empty` where a user was ever made. */
export async function assertUnused(tx: Tx): Promise<void> {
  const rows: unknown[] = await tx`select 1 from users limit 1`;
  if (rows.length === 0) return;
  throw new TerminalError(
    "store_not_empty",
    "The database of DATABASE_URL has a Weir already: a restore needs an empty one.",
  );
}

async function tablesOf(db: Db, tx: Tx): Promise<string[]> {
  const rows: { name: string }[] =
    db.dialect === "sqlite"
      ? await tx`select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'`
      : await tx`select table_name as name from information_schema.tables
          where table_schema = current_schema() and table_type = 'BASE TABLE'`;
  return rows
    .map(({ name }) => name)
    .filter((name) => !PASSING.has(name) && name !== MIGRATIONS)
    .sort();
}

async function migrationsOf(tx: Tx): Promise<string[]> {
  const rows: { name: string }[] = await tx`select name from schema_migrations order by name`;
  return rows.map(({ name }) => name);
}

async function* pagesOf(db: Db, tx: Tx, table: string): AsyncGenerator<Record<string, unknown>[]> {
  const page = db.dialect === "sqlite" ? sqlitePages(tx, table) : cursorPages(tx, table);
  for await (const rows of page) if (rows.length > 0) yield rows;
}

/** The names of tables are the schema's own. */
async function* sqlitePages(tx: Tx, table: string): AsyncGenerator<Record<string, unknown>[]> {
  for (let after: number | null = null; ; ) {
    const where: string = after === null ? "" : `where rowid > ${after}`;
    const text: string = `select rowid as "_rowid", * from ${quoted(table)} ${where} order by rowid limit ${ROWS_AT_ONCE}`;
    const rows: { _rowid: number }[] = await tx.unsafe(text);
    yield rows.map(({ _rowid, ...row }) => row);
    if (rows.length < ROWS_AT_ONCE) return;
    after = Number(rows.at(-1)!._rowid);
  }
}

async function* cursorPages(tx: Tx, table: string): AsyncGenerator<Record<string, unknown>[]> {
  await tx.unsafe(`declare dump no scroll cursor for select * from ${quoted(table)}`);
  for (let got = ROWS_AT_ONCE; got === ROWS_AT_ONCE; ) {
    const rows: Record<string, unknown>[] = await tx.unsafe(`fetch ${ROWS_AT_ONCE} from dump`);
    got = rows.length;
    yield rows.map((row) => ({ ...row }));
  }
  await tx.unsafe("close dump");
}

function dumped(value: unknown, table: string): DumpValue {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "bigint") return String(value);
  if (value instanceof Uint8Array) return { b64: Buffer.from(value).toString("base64") };
  if (typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value;
  throw new TerminalError("dump_inexact", `a value of the table ${table} cannot be written down: ${String(value)}`);
}

function loadedValue(value: DumpValue | undefined): string | number | null | Buffer {
  if (value === undefined) throw new TerminalError("dump_damaged", "a row is too short");
  return typeof value === "object" && value !== null ? Buffer.from(value.b64, "base64") : value;
}

async function sequencesOf(db: Db, tx: Tx): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  if (db.dialect === "sqlite") {
    const rows: { name: string; seq: Stored }[] = await tx`select name, seq from sqlite_sequence where seq > 0`;
    for (const { name, seq } of rows) found[name] = Number(seq);
    return found;
  }
  for (const table of await identityTables(tx)) {
    const rows: { last: Stored | null }[] = await tx.unsafe(
      `select pg_sequence_last_value(pg_get_serial_sequence('${quoted(table)}', 'id')::regclass) as last`,
    );
    if (rows[0]?.last != null) found[table] = Number(rows[0].last);
  }
  return found;
}

async function setSequences(db: Db, tx: Tx, sequences: Record<string, number>): Promise<void> {
  if (db.dialect === "sqlite") {
    await tx`delete from sqlite_sequence`;
    for (const [name, seq] of Object.entries(sequences)) {
      await tx`insert into sqlite_sequence (name, seq) values (${name}, ${seq})`;
    }
    return;
  }
  const known = new Set(await identityTables(tx));
  for (const [table, value] of Object.entries(sequences)) {
    if (!known.has(table)) continue;
    await tx.unsafe(`select setval(pg_get_serial_sequence('${quoted(table)}', 'id'), ${Number(value)})`);
  }
}

async function identityTables(tx: Tx): Promise<string[]> {
  const rows: { name: string }[] = await tx`
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES' and column_name = 'id'`;
  return rows.map(({ name }) => name);
}
