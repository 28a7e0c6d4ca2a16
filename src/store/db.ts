import { SQL, type TransactionSQL } from "bun";
import { describeError, RetryableError, TerminalError, WeirError } from "../types/mod.ts";
import { type Migration, migrate } from "./migration.ts";

/** Inside a transaction: Bun's tagged template. Values are always bound; never use `unsafe` with outside text. */
export type Tx = TransactionSQL;

/** An integer as the store gives it: a number or a string, depending on the dialect. Wrap it in `Number()`. */
export type Stored = number | string;

export const numberOrNull = (value: Stored | null): number | null => (value === null ? null : Number(value));

/**
 * The relational store: SQLite (one machine) or PostgreSQL, by the same statements.
 * Times are epoch milliseconds in bigint columns, booleans are 0 or 1, JSON is text.
 */
export interface Db {
  readonly dialect: "sqlite" | "postgres";
  /** The clock of a store that has none of its own (SQLite), epoch milliseconds. */
  nowMs(): number;
  /** Several reads on one consistent snapshot. */
  read<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /** One durable transaction; `body` may run again after a busy store, so it must not have other effects. */
  write<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How many rows a statement changed. */
export function changed(result: unknown): number {
  return Number((result as { count: number }).count);
}

const READ_HANDLES = 4;
/** SQLite's own wait blocks the event loop, so it is short; `retryBusy` does the rest. */
const BUSY_TIMEOUT_MS = 20;
const BUSY_GIVE_UP_MS = 30_000;
/**
 * A process that stands still in a write holds its locks, and every commit waits for them: PostgreSQL ends such a write after this time. Between
 * two statements of one there is a calculation at most.
 */
const WRITE_IDLE_MS = 10_000;
/** PostgreSQL's name for the one of two writes that it has ended because each waited for the other. */
const DEADLOCK = "40P01";

export interface Target {
  databaseUrl: string | null;
  sqlitePath: string;
  /** Of PostgreSQL: a write in which nothing happens for so long is rolled back; 10 s when absent. */
  writeIdleMs?: number;
}

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
  } catch (cause) {
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

class SqliteDb implements Db {
  readonly dialect = "sqlite";
  readonly nowMs = Date.now;
  private readonly readers: Exclusive<SQL>[];
  private nextReader = 0;

  private constructor(
    private readonly writer: Exclusive<SQL>,
    readers: SQL[],
  ) {
    this.readers = readers.map((handle) => new Exclusive(handle));
  }

  static async open(path: string): Promise<SqliteDb> {
    const handles: SQL[] = [];
    for (let i = 0; i <= READ_HANDLES; i++) {
      const handle = new SQL({ adapter: "sqlite", filename: path });
      await handle.unsafe(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      await retryBusy(() => handle.unsafe("pragma journal_mode = WAL"));
      await handle.unsafe("pragma synchronous = FULL");
      handles.push(handle);
    }
    const [writer, ...readers] = handles;
    return new SqliteDb(new Exclusive(writer!), readers);
  }

  read<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const reader = this.readers.find((r) => r.isFree) ?? this.readers[this.nextReader++ % READ_HANDLES]!;
    return reader.use((handle) => retryBusy(() => handle.begin("deferred", body)));
  }

  write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.writer.use((handle) => retryBusy(() => handle.begin("immediate", body)));
  }

  async close(): Promise<void> {
    for (const handle of [...this.readers, this.writer]) await handle.use((sql) => sql.close());
  }
}

class PostgresDb implements Db {
  readonly dialect = "postgres";
  readonly nowMs = Date.now;
  private readonly sql: SQL;

  constructor(
    url: string,
    private readonly writeIdleMs: number,
  ) {
    this.sql = new SQL(url, { max: 8 });
  }

  read<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.sql.begin("isolation level repeatable read read only", body);
  }

  write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const idle = String(this.writeIdleMs);
    return retryBusy(() =>
      this.sql.begin(async (tx) => {
        await tx`select set_config('synchronous_commit', 'on', true),
          set_config('idle_in_transaction_session_timeout', ${idle}, true)`;
        return body(tx);
      }),
    );
  }

  close(): Promise<void> {
    return this.sql.close();
  }
}

/** Lends a handle to one caller at a time: a statement on a handle with an open transaction would join that transaction. */
class Exclusive<H> {
  private tail: Promise<unknown> = Promise.resolve();
  private waiting = 0;

  constructor(private readonly handle: H) {}

  get isFree(): boolean {
    return this.waiting === 0;
  }

  use<T>(body: (handle: H) => Promise<T>): Promise<T> {
    this.waiting++;
    const turn = this.tail.then(() => body(this.handle)).finally(() => this.waiting--);
    this.tail = turn.catch(() => {});
    return turn;
  }
}

function isBusy(error: unknown): boolean {
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return String(code).startsWith("SQLITE_BUSY") || errno === DEADLOCK;
}

async function retryBusy<T>(attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = Date.now() + BUSY_GIVE_UP_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() > giveUpAt)
        throw new RetryableError("store_busy", "the record store stayed locked", { cause: error });
      await Bun.sleep(2 + Math.random() * 8);
    }
  }
}
