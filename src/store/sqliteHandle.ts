import { Database, type Statement } from "bun:sqlite";
import type { Tx, Value } from "./db.ts";
import { partOf, type Rows, type Run, statementOf } from "./statement.ts";

/** Statements that stay prepared: most processes have fewer. One takes some KB, and to prepare it longer than most take to run. */
const MAX_PREPARED = 300;
/** Of a longer text there is hardly ever a second one. */
const MAX_PREPARED_CHARACTERS = 8_000;

interface Prepared {
  statement: Statement;
  givesRows: boolean;
}

/** One connection to a file, with the statements that it has prepared. */
export class SqliteHandle {
  private readonly database: Database;
  /** By text, the one used last at the end. */
  private readonly prepared = new Map<string, Prepared>();

  /** Throws SQLite's error where the file cannot be opened or made. */
  constructor(path: string) {
    this.database = new Database(path, { create: true, readwrite: true });
  }

  /** Runs one statement; SQL text that is in the source. Errors are SQLite's own. */
  readonly run: Run = (text, values = []) => {
    const kept = this.prepared.get(text);
    if (kept !== undefined) {
      this.prepared.delete(text);
      this.prepared.set(text, kept);
      return answerOf(kept, values);
    }
    const prepared = this.prepare(text);
    try {
      return answerOf(prepared, values);
    } finally {
      this.keep(text, prepared);
    }
  };

  /** Throws SyntaxError for more than one statement: SQLite would pass over all but the first. */
  private prepare(text: string): Prepared {
    if (/;\s*\S/.test(text)) throw new SyntaxError("statements are run one at a time");
    const statement = this.database.prepare(text);
    return { statement, givesRows: statement.columnNames.length > 0 };
  }

  private keep(text: string, prepared: Prepared): void {
    if (text.length > MAX_PREPARED_CHARACTERS) {
      prepared.statement.finalize();
      return;
    }
    this.prepared.set(text, prepared);
    if (this.prepared.size <= MAX_PREPARED) return;
    const [oldest, { statement }] = this.prepared.entries().next().value!;
    statement.finalize();
    this.prepared.delete(oldest);
  }

  /** Runs `body` between `begin` and a commit; an error of either rolls back what was done. */
  async transaction<T>(begin: string, body: (tx: Tx) => Promise<T>): Promise<T> {
    this.run(begin);
    let isOpen = true;
    const run: Run = (text, values) => {
      if (!isOpen) throw new Error("the transaction of this statement has ended");
      return this.run(text, values);
    };
    try {
      const result = await body(txOf(run));
      isOpen = false;
      this.run("commit");
      return result;
    } catch (error) {
      isOpen = false;
      // After some errors SQLite has rolled back by itself.
      if (this.database.inTransaction) this.run("rollback");
      throw error;
    }
  }

  close(): void {
    for (const { statement } of this.prepared.values()) statement.finalize();
    this.prepared.clear();
    this.database.close();
  }
}

function answerOf({ statement, givesRows }: Prepared, values: readonly Value[]): Rows {
  if (!givesRows) return Object.assign([], { count: statement.run(values as Value[]).changes });
  const rows = statement.all(values as Value[]) as Record<string, unknown>[];
  return Object.assign(rows, { count: rows.length });
}

/** The tagged template of a transaction. */
function txOf(run: Run): Tx {
  const tx = (first: TemplateStringsArray | string | readonly unknown[] | object, ...values: unknown[]) =>
    isTemplate(first) ? statementOf(first, values, run) : partOf(first);
  const unsafe = async (text: string, values?: Value[]) => run(text, values);
  return Object.assign(tx, { unsafe }) as Tx;
}

const isTemplate = (given: unknown): given is TemplateStringsArray => Array.isArray(given) && "raw" in given;
