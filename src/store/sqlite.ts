import type { Db, Tx } from "./db.ts";
import { retryBusy } from "./retryBusy.ts";
import { SqliteHandle } from "./sqliteHandle.ts";

const READ_HANDLES = 4;
/** SQLite's own wait blocks the event loop, so it is short; `retryBusy` does the rest. */
const BUSY_TIMEOUT_MS = 20;
/** Of pages, in the handle that writes: a commit of many merges touches most pages of two indexes, and without it each of them many times. */
const WRITE_CACHE_KIB = 64 * 1024;

export class SqliteDb implements Db {
  readonly dialect = "sqlite";
  readonly nowMs = Date.now;
  private readonly readers: Exclusive<SqliteHandle>[];
  private nextReader = 0;

  private constructor(
    private readonly writer: Exclusive<SqliteHandle>,
    readers: SqliteHandle[],
  ) {
    this.readers = readers.map((handle) => new Exclusive(handle));
  }

  static async open(path: string): Promise<SqliteDb> {
    const handles: SqliteHandle[] = [];
    for (let i = 0; i <= READ_HANDLES; i++) {
      const handle = new SqliteHandle(path);
      handle.run(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`);
      await retryBusy(async () => handle.run("pragma journal_mode = WAL"));
      handle.run("pragma synchronous = FULL");
      handles.push(handle);
    }
    const [writer, ...readers] = handles;
    writer!.run(`pragma cache_size = -${WRITE_CACHE_KIB}`);
    return new SqliteDb(new Exclusive(writer!), readers);
  }

  read<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const reader = this.readers.find((r) => r.isFree) ?? this.readers[this.nextReader++ % READ_HANDLES]!;
    return reader.use((handle) => retryBusy(() => handle.transaction("begin deferred", body)));
  }

  write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.writer.use((handle) => retryBusy(() => handle.transaction("begin immediate", body)));
  }

  async close(): Promise<void> {
    for (const handle of [...this.readers, this.writer]) await handle.use(async (sqlite) => sqlite.close());
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
