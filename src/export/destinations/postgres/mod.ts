import { SQL } from "bun";
import { addressOf, isPublic } from "../../../outgoing/mod.ts";
import { TerminalError } from "../../../types/mod.ts";
import { invalidConfig } from "../../config.ts";
import type { Destination, OpenDestination, Part, RunRange } from "../../model.ts";
import { groupsOfLines } from "../lines.ts";
import { type PostgresConfig, readPostgresConfig } from "./config.ts";
import { withHeldNumbers } from "./numbers.ts";
import { hasNotAnswered, isOfNumber, postgresProblem } from "./problem.ts";
import { TABLES, type Table } from "./tables.ts";

const PART_BYTES = 64 * 1024 * 1024;
const BATCH = { lines: 5000, units: 4 * 1024 * 1024 };
const CONNECT_TIMEOUT_S = 30;
/** Of one statement: a table that somebody has locked, or a network that loses all, must not hold up the exports of others. */
const STATEMENT_TIMEOUT_MS = 120_000;

/** A table of PostgreSQL; made where it is missing. A row that is there already is left, or replaced by a newer version of it. */
export const POSTGRES: Destination = {
  type: "Postgres",
  secrets: ["user", "password"],
  check(config) {
    readPostgresConfig(config);
    return config;
  },
  async open(config, range, env) {
    const table = TABLES[range.model];
    if (table === undefined) throw invalidConfig("type", "A PostgreSQL destination takes events and persons.");
    const read = readPostgresConfig(config);
    const address = await addressOf(read.host, env);
    return new OpenTable(connect(read, address), read, table, range, env.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS);
  },
};

/**
 * To the address that was checked. Encrypted, and with a certificate for the host's name unless the settings say that it has signed its
 * own. Within a private network only where the server offers it.
 */
function connect(config: PostgresConfig, address: string): SQL {
  const { host, port, user, password, database, hasSelfSignedCert } = config;
  return new SQL({
    ...{ adapter: "postgres", hostname: address, port, username: user, password, database },
    ...(isPublic(address)
      ? { tls: { serverName: host, rejectUnauthorized: !hasSelfSignedCert }, sslMode: "require" }
      : { sslMode: "prefer" }),
    ...{ max: 1, connectionTimeout: CONNECT_TIMEOUT_S },
  });
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

class OpenTable implements OpenDestination {
  readonly format = { format: "JSONLines", compression: null, maxPartBytes: PART_BYTES } as const;
  private readonly name: string;
  private isMade = false;

  constructor(
    private readonly sql: SQL,
    private readonly config: PostgresConfig,
    private readonly table: Table,
    private readonly range: RunRange,
    private readonly timeoutMs: number,
  ) {
    this.name = `${quoted(config.schema)}.${quoted(config.table)}`;
  }

  async put(part: Part, signal: AbortSignal): Promise<number> {
    await this.unless(signal, () => this.make());
    const text = this.insertText();
    for await (const lines of groupsOfLines(part.path, BATCH)) {
      await this.unless(signal, () => this.insert(text, lines));
    }
    return part.bytes;
  }

  /** Numbers that PostgreSQL does not hold are rare, so they are looked for where it has refused one. */
  private async insert(text: string, lines: readonly string[]): Promise<void> {
    const write = (lines: readonly string[]) => this.sql.unsafe(text, [`[${lines.join(",")}]`, this.range.teamId]);
    try {
      await write(lines);
    } catch (error) {
      if (!isOfNumber(error)) throw error;
      await write(lines.map(withHeldNumbers));
    }
  }

  async finish(): Promise<void> {}

  /** Makes the table, and writes nothing to it. */
  async test(signal: AbortSignal): Promise<void> {
    await this.unless(signal, async () => {
      await this.make();
      await this.sql.unsafe(this.insertText(), ["[]", this.range.teamId]);
    });
  }

  async close(): Promise<void> {
    await this.sql.close({ timeout: 0 });
  }

  /** Throws TerminalError `destination_refused` for a table in which a row could come twice. */
  private async make(): Promise<void> {
    if (this.isMade) return;
    const columns = Object.entries(this.table.columns).map(([name, type]) => `${quoted(name)} ${type}`);
    const key = this.table.key.map(quoted).join(", ");
    const [found] = await this.sql`select to_regclass(${this.name})::oid as id`;
    if (found.id === null) {
      await this.sql.unsafe(`create table if not exists ${this.name} (${columns.join(", ")}, primary key (${key}))`);
    } else if (!(await this.knowsCopies(found.id))) {
      const sentence = `The table ${this.config.table} has no unique index of columns of the key, so a part that is sent again would come twice. Add one on (${this.table.key.join(", ")}).`;
      throw new TerminalError("destination_refused", sentence);
    }
    this.isMade = true;
  }

  /** Whether a unique index is over all rows and names only what a copy has too: a number that the table gives out differs. */
  private async knowsCopies(tableId: number): Promise<boolean> {
    const found = await this.sql`select 1 from pg_index i
      where indrelid = ${tableId} and indisunique and indisvalid and indpred is null and indexprs is null and not exists (
        select 1 from unnest(indkey[0:indnkeyatts - 1]) as k join pg_attribute a on attrelid = indrelid and attnum = k
        where attname not in ${this.sql([...this.table.key])})
      limit 1`;
    return found.length > 0;
  }

  private insertText(): string {
    const { columns, line, rows, onConflict } = this.table;
    const members = Object.entries(line).map(([name, type]) => `${quoted(name)} ${type}`);
    return `with r as (select * from jsonb_to_recordset($1::text::jsonb) as r(${members.join(", ")}))
      insert into ${this.name} (${Object.keys(columns).map(quoted).join(", ")}) ${rows}
      on conflict ${onConflict(this.name)}`;
  }

  /**
   * An abort, or the end of the time, closes the connection, which ends the statement, and is not waited for: the connection may still be on its
   * way.
   */
  private async unless<T>(stopped: AbortSignal, body: () => Promise<T>): Promise<T> {
    stopped.throwIfAborted();
    const late = AbortSignal.timeout(this.timeoutMs);
    const signal = AbortSignal.any([stopped, late]);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const end = () => {
      void this.sql.close({ timeout: 0 });
      reject(signal.reason);
    };
    signal.addEventListener("abort", end, { once: true });
    try {
      return await Promise.race([body(), aborted]);
    } catch (error) {
      stopped.throwIfAborted();
      throw late.aborted ? hasNotAnswered(this.timeoutMs) : postgresProblem(error);
    } finally {
      signal.removeEventListener("abort", end);
    }
  }
}
