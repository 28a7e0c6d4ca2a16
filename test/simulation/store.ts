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

/** A part of a statement's text. */
class Part {
  constructor(
    readonly strings: TemplateStringsArray,
    readonly values: Bound[],
  ) {}
}

type Bound = Value | Fragment | Part;

/** What is wrong with a store, where a test plants it. */
export type StoreFault = "forgets what it has confirmed";

/**
 * The catalog's tables, in memory: made once for a process of the operating system, emptied for each seed. A transaction
 * runs in one go, so that transactions stand in one line, as those of SQLite and (on the rows that matter) PostgreSQL do.
 */
class Store {
  private readonly database = new Database(":memory:");
  private readonly byTemplate = new WeakMap<TemplateStringsArray, Template | null>();
  private readonly byText = new Map<string, Prepared>();
  /** Tables that anything was ever written into; the first one has the last ids. */
  private readonly filled = new Set(["sqlite_sequence"]);
  private isOpen = false;
  /** Of the open transaction, or the last one: whether it was a flush's, or a swap, and whether it changed owners, positions or jobs. */
  wasCommit = false;
  wasSwap = false;
  movedJobs = false;
  movedPositions = false;
  /** How often the catalog's version was raised, also by what was rolled back. */
  versionRaises = 0;
  fault: StoreFault | null = null;

  constructor() {
    for (const migration of MIGRATIONS) {
      for (const statement of migration.statements("sqlite")) this.database.run(statement);
    }
    this.dropIndexes();
    for (const name of this.namesOf("table")) this.database.run(`delete from ${name}`);
    this.reset();
  }

  /** Of a dozen rows an index saves nothing, and each write keeps it. Those that keep rows unique stay. */
  private dropIndexes(): void {
    for (const name of this.namesOf("index", "create index %")) this.database.run(`drop index ${name}`);
  }

  private namesOf(type: "table" | "index", sql = "%"): string[] {
    const names = this.database.query("select name from sqlite_master where type = ? and sql like ?").all(type, sql);
    return (names as { name: string }[]).map(({ name }) => name);
  }

  reset(): void {
    for (const table of this.filled) this.prepare(`delete from ${table}`).statement.run();
    this.versionRaises = 0;
    this.prepare("insert into catalog_state (id, version, duplicates_met) values (1, 0, 0)").statement.run();
  }

  /** Rows of a statement, outside of the code under test. */
  rows<T>(text: string, ...values: Value[]): T[] {
    return this.prepare(text).statement.all(...values) as T[];
  }

  /** The same as lists of values. */
  values<T extends unknown[]>(text: string, ...values: Value[]): T[] {
    return this.prepare(text).statement.values(...values) as T[];
  }

  /** Of statements that only read: nobody else's come between them, so that they need no transaction. */
  async read<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    this.open();
    try {
      return await body(this.tx);
    } finally {
      this.isOpen = false;
    }
  }

  async transaction<T>(body: (tx: Tx) => Promise<T>, end: "commit" | "rollback"): Promise<T> {
    this.open();
    this.wasCommit = false;
    this.wasSwap = false;
    this.movedJobs = false;
    this.movedPositions = false;
    this.prepare("begin").statement.run();
    try {
      const result = await body(this.tx);
      this.prepare(end).statement.run();
      return result;
    } catch (error) {
      this.prepare("rollback").statement.run();
      throw error;
    } finally {
      this.isOpen = false;
    }
  }

  private open(): void {
    if (this.isOpen)
      throw new Error("two transactions at once: one of them waits for something else than its statements");
    this.isOpen = true;
  }

  /** A whole statement runs at once: nothing else could run before somebody waits for it. */
  private readonly tx: Tx = Object.assign(
    (first: TemplateStringsArray | Value[] | Row[] | Row, ...values: Bound[]) => this.take(first, values),
    { unsafe: (text: string, values: Value[] = []) => Promise.try(() => answer(this.prepare(text), values)) },
  ) as Tx;

  private take(first: TemplateStringsArray | Value[] | Row[] | Row, values: Bound[]): unknown {
    if (!Array.isArray(first)) return new Fragment([first as Row]);
    if (!("raw" in first)) return new Fragment(first);
    const strings = first as TemplateStringsArray;
    try {
      const template = this.template(strings, values);
      return template === null ? new Part(strings, values) : Promise.resolve(this.execute(template, strings, values));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Runs a statement of the open transaction. */
  private execute(template: Template, strings: TemplateStringsArray, values: Bound[]): unknown {
    if (template.isCommit) this.wasCommit = true;
    if (template.isSwap) this.wasSwap = true;
    if (template.raisesVersion) this.versionRaises++;
    let [prepared, bound] = [template.prepared, values as Value[]];
    if (prepared === null) {
      bound = [];
      prepared = this.prepare(written(strings, values, bound, template.isPlanned));
    }
    const rows = answer(prepared, bound);
    if (rows.count === 0) return rows;
    if (template.movesJobs) this.movedJobs = true;
    if (template.movesPositions) this.movedPositions = true;
    return rows;
  }

  /** Null: it is a part of a statement. */
  private template(strings: TemplateStringsArray, values: Bound[]): Template | null {
    let template = this.byTemplate.get(strings);
    if (template !== undefined) return template;
    const start = strings[0]!.trimStart();
    if (!/^(select|insert|update|delete|with)\b/.test(start)) {
      this.byTemplate.set(strings, null);
      return null;
    }
    const isWhole = values.every((value) => !(value instanceof Fragment || value instanceof Part));
    const isPlanned = /^\s*select\b.*\b(join|group by|order by)\b/s.test(strings.join("?"));
    template = {
      prepared: isWhole && !(isPlanned && values.length > 0) ? this.prepare(strings.join("?")) : null,
      isPlanned,
      isCommit: start.startsWith("insert into commits"),
      isSwap: start.includes("set state = 'replaced'"),
      movesJobs: /^(insert into|delete from) compaction_jobs/.test(start),
      movesPositions: start.includes("update positions"),
      raisesVersion: start.includes("update catalog_state set version"),
    };
    this.byTemplate.set(strings, template);
    return template;
  }

  private prepare(text: string): Prepared {
    let prepared = this.byText.get(text);
    if (prepared === undefined) {
      for (const [, table] of text.matchAll(/\binsert\b.*?\binto (\w+)/gs)) this.filled.add(table!);
      const statement = this.database.prepare(text);
      prepared = { statement, givesRows: statement.columnNames.length > 0 };
      this.byText.set(text, prepared);
    }
    return prepared;
  }
}

interface Prepared {
  statement: Statement;
  givesRows: boolean;
}

/** What is known of a statement by its template. */
interface Template {
  /** Null: the text is another one for other values. */
  prepared: Prepared | null;
  /** SQLite may plan it anew for each value that is bound: small numbers stand in its text instead. */
  isPlanned: boolean;
  isCommit: boolean;
  isSwap: boolean;
  movesJobs: boolean;
  movesPositions: boolean;
  raisesVersion: boolean;
}

/** Rows, with their number or that of the changes as `count`. */
function answer({ statement, givesRows }: Prepared, values: Value[]): unknown[] & { count: number } {
  const rows = (givesRows ? statement.all(...values) : []) as unknown[] & { count: number };
  rows.count = givesRows ? rows.length : statement.run(...values).changes;
  return rows;
}

/** The text of a statement; its values are added to `bound`, but for small numbers where `isPlanned`. */
function written(strings: TemplateStringsArray, values: readonly Bound[], bound: Value[], isPlanned: boolean): string {
  let text = strings[0]!;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value instanceof Fragment) text += spread(value.items, bound);
    else if (value instanceof Part) text += written(value.strings, value.values, bound, isPlanned);
    else if (isPlanned && isSmall(value)) text += value;
    else {
      text += "?";
      bound.push(value);
    }
    text += strings[i + 1]!;
  }
  return text;
}

/** One of few: each makes a statement of its own. */
function isSmall(value: Value): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 100;
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
    this.process.stir();
    await scheduler.point(this.process);
    const result = await store.read(body);
    await scheduler.point(this.process);
    return result;
  }

  async write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    const { scheduler, store, trouble, observer } = this.universe;
    this.process.stir();
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
