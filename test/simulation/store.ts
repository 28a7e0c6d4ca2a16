import { Database, type Statement } from "bun:sqlite";
import { MIGRATIONS } from "../../src/schema.ts";
import type { Db, Tx } from "../../src/store/mod.ts";
import { RetryableError } from "../../src/types/mod.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

type Value = string | number | null;
type Row = Record<string, unknown>;
/** A list for `in`, or rows for `insert`, as the template's own function makes them. */
class Fragment {
  constructor(readonly items: readonly (Value | Row)[]) {}
}

/** A statement that runs when it is waited for; inside of another one it is a part of its text. */
class Query implements PromiseLike<unknown> {
  private running: Promise<unknown> | null = null;

  constructor(
    readonly strings: TemplateStringsArray,
    readonly values: Part[],
    private readonly run: () => unknown,
  ) {}

  // biome-ignore lint/suspicious/noThenProperty: a statement of Bun's is waited for, too.
  then<A, B>(...then: Parameters<Promise<unknown>["then"]>): Promise<A | B> {
    this.running ??= Promise.try(this.run);
    return this.running.then(...then) as Promise<A | B>;
  }
}

type Part = Value | Fragment | Query;

/** What is wrong with a store, where a test plants it. */
export type StoreFault = "forgets what it has confirmed";

/**
 * The catalog's tables, in memory: made once for a process of the operating system, emptied for each seed. A transaction
 * runs in one go, so that transactions stand in one line, as those of SQLite and (on the rows that matter) PostgreSQL do.
 */
class Store {
  private readonly database = new Database(":memory:");
  private readonly byTemplate = new WeakMap<TemplateStringsArray, Statement>();
  private readonly givesRows = new WeakMap<Statement, boolean>();
  private readonly byText = new Map<string, Statement>();
  private readonly tables: string[];
  private isOpen = false;
  /** Of the open transaction, or the last one: whether it was a flush's, or a swap, and whether it changed owners, positions or jobs. */
  wasCommit = false;
  wasSwap = false;
  movedJobs = false;
  movedPositions = false;
  fault: StoreFault | null = null;

  constructor() {
    for (const migration of MIGRATIONS) {
      for (const statement of migration.statements("sqlite")) this.database.run(statement);
    }
    const names = this.database.query("select name from sqlite_master where type = 'table'").all() as {
      name: string;
    }[];
    this.tables = names.map(({ name }) => name);
    this.reset();
  }

  reset(): void {
    for (const table of this.tables) this.prepare(`delete from ${table}`).run();
    this.prepare("insert into catalog_state (id, version, duplicates_met) values (1, 0, 0)").run();
  }

  /** Rows of a statement, outside of the code under test. */
  rows<T>(text: string, ...values: Value[]): T[] {
    return this.prepare(text).all(...values) as T[];
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>, end: "commit" | "rollback"): Promise<T> {
    if (this.isOpen)
      throw new Error("two transactions at once: one of them waits for something else than its statements");
    this.isOpen = true;
    this.wasCommit = false;
    this.wasSwap = false;
    this.movedJobs = false;
    this.movedPositions = false;
    this.prepare("begin").run();
    try {
      const result = await body(this.tx);
      this.prepare(end).run();
      return result;
    } catch (error) {
      this.prepare("rollback").run();
      throw error;
    } finally {
      this.isOpen = false;
    }
  }

  private readonly tx = ((first: TemplateStringsArray | Value[] | Row[] | Row, ...values: Part[]) => {
    if (!Array.isArray(first)) return new Fragment([first as Row]);
    if (!("raw" in first)) return new Fragment(first);
    const strings = first as TemplateStringsArray;
    return new Query(strings, values, () => this.execute(strings, values));
  }) as unknown as Tx;

  private execute(strings: TemplateStringsArray, values: Part[]): unknown {
    if (strings[0]!.startsWith("insert into commits")) this.wasCommit = true;
    if (strings[0]!.includes("set state = 'replaced'")) this.wasSwap = true;
    if (strings[0]!.includes("compaction_jobs")) this.movedJobs = true;
    if (strings[0]!.includes("update positions")) this.movedPositions = true;
    const bound: Value[] = [];
    let statement = this.byTemplate.get(strings);
    if (statement !== undefined) bound.push(...(values as Value[]));
    else if (values.some((value) => value instanceof Fragment || value instanceof Query)) {
      statement = this.prepare(written(strings, values, bound));
    } else {
      statement = this.database.prepare(strings.join("?"));
      this.byTemplate.set(strings, statement);
      bound.push(...(values as Value[]));
    }
    let givesRows = this.givesRows.get(statement);
    if (givesRows === undefined) {
      givesRows = statement.columnNames.length > 0;
      this.givesRows.set(statement, givesRows);
    }
    if (!givesRows) return Object.assign([], { count: statement.run(...bound).changes });
    const rows = statement.all(...bound);
    return Object.assign(rows, { count: rows.length });
  }

  private prepare(text: string): Statement {
    let statement = this.byText.get(text);
    if (statement === undefined) {
      statement = this.database.prepare(text);
      this.byText.set(text, statement);
    }
    return statement;
  }
}

/** The text of a statement; its values are added to `bound`. */
function written(strings: TemplateStringsArray, values: readonly Part[], bound: Value[]): string {
  let text = strings[0]!;
  values.forEach((value, i) => {
    if (value instanceof Fragment) text += spread(value.items, bound);
    else if (value instanceof Query) text += written(value.strings, value.values, bound);
    else {
      text += "?";
      bound.push(value);
    }
    text += strings[i + 1]!;
  });
  return text;
}

function spread(items: readonly (Value | Row)[], bound: Value[]): string {
  const first = items[0];
  if (typeof first !== "object" || first === null) {
    bound.push(...(items as Value[]));
    return `(${items.map(() => "?").join(", ")})`;
  }
  const columns = Object.keys(first);
  for (const row of items as Row[]) bound.push(...columns.map((column) => row[column] as Value));
  const marks = `(${columns.map(() => "?").join(", ")})`;
  return `(${columns.join(", ")}) values ${items.map(() => marks).join(", ")}`;
}

let store: Store | null = null;

/** The store, empty. */
export function emptyStore(fault: StoreFault | null): Store {
  store ??= new Store();
  store.reset();
  store.fault = fault;
  return store;
}

export type { Store };

/** The store as one process reaches it. */
export class SimDb implements Db {
  readonly dialect = "sqlite";

  constructor(
    private readonly universe: Universe,
    private readonly process: Process,
  ) {}

  nowMs(): number {
    return this.universe.scheduler.nowMs;
  }

  async read<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const { scheduler, store } = this.universe;
    await scheduler.point(this.process);
    const result = await store.transaction(body, "commit");
    await scheduler.point(this.process);
    return result;
  }

  async write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const { scheduler, store, trouble, observer } = this.universe;
    await scheduler.point(this.process);
    if (trouble.draw("store busy")) throw new RetryableError("store_busy", "the record store stayed locked");
    if (trouble.draw("transaction run twice")) await store.transaction(body, "rollback").catch(() => {});
    if (trouble.isDue("commit unknown, did not happen")) {
      await store.transaction(body, "rollback");
      if (store.wasCommit || store.wasSwap) {
        trouble.note("commit unknown, did not happen");
        throw new Error("the connection to the store is lost");
      }
    }
    const isForgotten = store.fault === "forgets what it has confirmed" && trouble.happensRarely();
    const result = await store.transaction(body, isForgotten ? "rollback" : "commit");
    if (store.movedPositions) observer.afterMoves(this.process);
    if (store.movedJobs) observer.afterJobs();
    if (store.wasSwap) observer.afterSwap();
    if (store.wasCommit) observer.afterCommit();
    const isUnknown = (store.wasCommit || store.wasSwap) && trouble.isDue("commit unknown, did happen");
    await scheduler.point(this.process);
    if (isUnknown) {
      trouble.note("commit unknown, did happen");
      throw new Error("the connection to the store is lost");
    }
    return result;
  }

  async close(): Promise<void> {}
}
