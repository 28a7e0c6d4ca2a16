import { SQL } from "bun";
import type { Db, Tx } from "./db.ts";

export class PostgresDb implements Db {
  readonly dialect = "postgres";
  readonly nowMs = Date.now;
  private readonly sql: SQL;

  constructor(url: string) {
    this.sql = new SQL(url, { max: 8 });
  }

  read<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.sql.begin("isolation level repeatable read read only", body);
  }

  write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
    return this.sql.begin(async (tx) => {
      await tx`set local synchronous_commit = on`;
      return body(tx);
    });
  }

  close(): Promise<void> {
    return this.sql.close();
  }
}
