import { SQL } from "bun";
import type { Db, Tx } from "./db.ts";
import { retryBusy } from "./retryBusy.ts";

const READ_HANDLES = 4;
/** SQLite's own wait blocks the event loop, so it is short; `retryBusy` does the rest. */
const BUSY_TIMEOUT_MS = 20;
/** Of pages, in the handle that writes: a commit of many merges touches most pages of two indexes, and without it each of them many times. */
const WRITE_CACHE_KIB = 64 * 1024;

export class SqliteDb implements Db {
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
    await writer!.unsafe(`pragma cache_size = -${WRITE_CACHE_KIB}`);
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
