import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../src/schema.ts";
import type { Db } from "../../src/store/mod.ts";
import { findPostgres, type PostgresServer, startPostgres } from "./postgres.ts";
import { HANG_MS, until } from "./processes.ts";

export type StoreTarget = Parameters<typeof openDb>[0];

let migrated: Promise<ArrayBuffer> | null = null;

/** A fresh SQLite store at a path, as `openDb` makes it: a copy of one that this process has migrated before. */
export async function openFresh(sqlitePath: string): Promise<Db> {
  migrated ??= migrate();
  await Bun.write(sqlitePath, await migrated);
  return openDb({ databaseUrl: null, sqlitePath });
}

async function migrate(): Promise<ArrayBuffer> {
  const dir = mkdtempSync(join(tmpdir(), "weir-store-"));
  const sqlitePath = join(dir, "weir.db");
  await (await openDb({ databaseUrl: null, sqlitePath })).close();
  const bytes = await Bun.file(sqlitePath).arrayBuffer();
  rmSync(dir, { recursive: true, force: true });
  return bytes;
}

/** Runs `body` with a fresh record store in a temporary folder. */
export async function withSqlite<T>(body: (db: Db, target: StoreTarget) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), "weir-store-"));
  const target = { databaseUrl: null, sqlitePath: join(dir, "weir.db") };
  try {
    const db = await openFresh(target.sqlitePath);
    try {
      return await body(db, target);
    } finally {
      await db.close();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Waits until so many transactions wait for another one. In SQLite each does that before it begins. */
export async function untilWaiting(db: Db, count = 1): Promise<void> {
  if (db.dialect === "sqlite") return;
  await until(`${count} transactions to wait`, HANG_MS, async () => {
    const rows: { n: unknown }[] = await db.read(
      (tx) => tx`select count(*) as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return Number(rows[0]?.n) >= count;
  });
}

export interface Store {
  name: string;
  withStore: typeof withSqlite;
}

/**
 * The kinds of store on this machine: SQLite, and PostgreSQL where it is installed.
 * To be called at the top of a test file: its PostgreSQL server runs as long as the tests of that file.
 */
export function useStores(): Store[] {
  const sqlite = { name: "sqlite", withStore: withSqlite };
  if (findPostgres() === null) return [sqlite];
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  const withStore: typeof withSqlite = async (body) => {
    const target = { databaseUrl: await server.createDatabase(), sqlitePath: "" };
    const db = await openDb(target);
    try {
      return await body(db, target);
    } finally {
      await db.close();
    }
  };
  return [sqlite, { name: "postgres", withStore }];
}
