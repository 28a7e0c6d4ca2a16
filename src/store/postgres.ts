import { SQL } from "bun";
import type { Db, Tx } from "./db.ts";
import { retryBusy } from "./retryBusy.ts";

export class PostgresDb implements Db {
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
    return retryBusy(() => this.sql.begin("isolation level repeatable read read only", (tx) => body(tx)));
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
