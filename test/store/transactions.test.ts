import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openDb } from "../../src/schema.ts";
import type { Db, Tx } from "../../src/store/mod.ts";
import { PostgresDb } from "../../src/store/postgres.ts";
import { findPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { HANG_MS, until } from "../support/processes.ts";
import { useStores, withSqlite } from "../support/stores.ts";

const INCREMENTER = join(import.meta.dir, "../support/incrementer.ts");

const STORES = useStores();

describe.each(STORES)("transactions on $name", ({ withStore }) => {
  test("a write is all or nothing", () =>
    withStore(async (db) => {
      await db.write((tx) => tx`create table t (n bigint)`);
      const failing = db.write(async (tx) => {
        await tx`insert into t (n) values (1)`;
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      expect(await db.read((tx) => tx`select n from t`)).toHaveLength(0);
    }));

  test("writes started together all happen, each on its own", () =>
    withStore(async (db) => {
      await db.write(async (tx) => {
        await tx`create table counter (n bigint)`;
        await tx`insert into counter (n) values (0)`;
      });
      // Read, then write: lost updates would show.
      const increment = () =>
        db.write(async (tx) => {
          const rows: { n: unknown }[] = await tx`select n from counter ${lock(db.dialect, tx)}`;
          await Bun.sleep(1);
          await tx`update counter set n = ${Number(rows[0]!.n) + 1}`;
        });
      const failing = () =>
        db.write(async (tx) => {
          await tx`update counter set n = 1000000`;
          throw new Error("rolled back");
        });
      const all = Array.from({ length: 30 }, (_, i) => (i % 3 === 2 ? failing().catch(() => {}) : increment()));
      await Promise.all(all);
      expect(await db.read(async (tx) => Number((await tx`select n from counter`)[0].n))).toBe(20);
    }));

  test("a write inside another's open transaction is not lost with it", () =>
    withStore(async (db) => {
      await db.write((tx) => tx`create table t (n bigint)`);
      const opened = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const first = db
        .write(async (tx) => {
          await tx`insert into t (n) values (1)`;
          opened.resolve();
          await release.promise;
          throw new Error("rolled back");
        })
        .catch(() => {});
      await opened.promise;
      const second = db.write((tx) => tx`insert into t (n) values (2)`);
      await Bun.sleep(20);
      release.resolve();
      await Promise.all([first, second]);
      expect((await db.read((tx) => tx`select n from t`)).map((row: { n: unknown }) => Number(row.n))).toEqual([2]);
    }));

  test("a read sees one moment, whatever is written meanwhile", () =>
    withStore(async (db) => {
      await db.write((tx) => tx`create table t (n bigint)`);
      const [before, after] = await db.read(async (tx) => {
        const count = async () => Number((await tx`select count(*) as n from t`)[0].n);
        const before = await count();
        await db.write((inner) => inner`insert into t (n) values (1)`);
        return [before, await count()];
      });
      expect([before, after]).toEqual([0, 0]);
      expect(await db.read(async (tx) => Number((await tx`select count(*) as n from t`)[0].n))).toBe(1);
    }));

  test("more readers than handles at once", () =>
    withStore(async (db) => {
      const reads = Array.from({ length: 40 }, (_, i) =>
        db.read(async (tx) => {
          await Bun.sleep(1);
          return Number((await tx`select ${i} + 0 as n`)[0].n);
        }),
      );
      expect(await Promise.all(reads)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    }));

  test("two processes write at once and lose nothing", () =>
    withStore(async (db, target) => {
      await db.write(async (tx) => {
        await tx`create table counter (n bigint)`;
        await tx`insert into counter (n) values (0)`;
      });
      const start = () =>
        Bun.spawn([process.execPath, INCREMENTER, JSON.stringify(target), "60"], {
          stdout: "ignore",
          stderr: "inherit",
        });
      const children = [start(), start()];
      for (let i = 0; i < 20; i++) await db.write((tx) => tx`update counter set n = n + 1`);
      expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0]);
      expect(await db.read(async (tx) => Number((await tx`select n from counter`)[0].n))).toBe(140);
    }));

  test("opening again keeps the data and runs no step twice", () =>
    withStore(async (db, target) => {
      await db.write((tx) => tx`insert into sequences (name, value) values ('mine', 7)`);
      const steps = await db.read((tx) => tx`select name from schema_migrations order by name`);
      const again = await openDb(target);
      expect(
        await again.read(async (tx) => Number((await tx`select value from sequences where name = 'mine'`)[0].value)),
      ).toBe(7);
      expect(await again.read((tx) => tx`select name from schema_migrations order by name`)).toEqual(steps);
      await again.close();
    }));

  test("data of a newer program is refused", () =>
    withStore(async (db, target) => {
      await db.write((tx) => tx`insert into schema_migrations (name, applied_at_ms) values ('999_future', 0)`);
      await expect(openDb(target)).rejects.toMatchObject({ code: "schema_newer" });
    }));
});

test("a write for which the disk has no room may be tried again, and leaves nothing", () =>
  withSqlite(async (db) => {
    await db.write((tx) => tx`create table t (text text)`);
    const pages = Number((await db.read((tx) => tx`pragma page_count`))[0].page_count);
    await db.write((tx) => tx.unsafe(`pragma max_page_count = ${pages}`));
    const large = db.write((tx) => tx`insert into t (text) values (${"x".repeat(1e6)})`);
    await expect(large).rejects.toMatchObject({ code: "store_unreachable", retryable: true });
    await db.write((tx) => tx.unsafe("pragma max_page_count = 1000000"));
    await db.write((tx) => tx`insert into t (text) values (${"y"})`);
    expect(await db.read((tx) => tx`select text from t`)).toEqual([{ text: "y" }]);
  }));

/** SQLite's write transactions exclude each other; PostgreSQL's lock the rows that they say. */
function lock(dialect: string, tx: Parameters<Parameters<Awaited<ReturnType<typeof openDb>>["write"]>[0]>[0]) {
  return dialect === "postgres" ? tx`for update` : tx``;
}

describe.if(findPostgres() !== null)("postgres", () => {
  const unreachable = { code: "store_unreachable", retryable: true };

  async function withServer(body: (server: PostgresServer, db: Db) => Promise<void>): Promise<void> {
    const server = await startPostgres();
    const db = await openDb({ databaseUrl: await server.createDatabase(), sqlitePath: "" });
    try {
      await body(server, db);
    } finally {
      await db.close();
      await server.stop();
    }
  }

  test("that ends or is away may be asked again, and answers when it is back", () =>
    withServer(async (server, db) => {
      const open = db.read(async (tx) => {
        await server.end("SIGINT");
        return tx`select 1`;
      });
      await expect(open).rejects.toMatchObject(unreachable);
      await expect(db.read((tx) => tx`select 1`)).rejects.toMatchObject(unreachable);
      await expect(db.write((tx) => tx`select 1`)).rejects.toMatchObject(unreachable);
      await server.startAgain();
      await until("an answer", HANG_MS, () =>
        db
          .write((tx) => tx`select 1`)
          .then(
            () => true,
            () => false,
          ),
      );
    }));

  test("that ends a connection may be asked again", () =>
    withServer(async (_, db) => {
      const ended = db.read((tx) => tx`select pg_terminate_backend(pg_backend_pid())`);
      await expect(ended).rejects.toMatchObject(unreachable);
      expect(await db.read((tx) => tx`select 1 as n`)).toHaveLength(1);
    }));

  test("that has taken a right or a table away may be asked again: no value is to blame", () =>
    withServer(async (server, db) => {
      await server.ask(server.url, "create role guest");
      const asGuest = db.read(async (tx) => {
        await tx`set local role guest`;
        return tx`select id from users`;
      });
      await expect(asGuest).rejects.toMatchObject(unreachable);
      await expect(db.read((tx) => tx`select id from gone`)).rejects.toMatchObject(unreachable);
      await db.write((tx) => tx`alter table users rename column id to other`);
      await expect(db.read((tx) => tx`select id from users`)).rejects.toMatchObject(unreachable);
    }));

  test("that cannot do TLS any more may be asked again", () =>
    withServer(async ({ url }) => {
      const db = new PostgresDb(`${url}?sslmode=require`, 10_000);
      await expect(db.read((tx) => tx`select 1`)).rejects.toMatchObject(unreachable);
      await db.close();
    }));

  test("that refuses a statement for its own sake tells why", () =>
    withServer(async (_, db) => {
      await expect(db.read((tx) => tx`select 1 / (1 - ${1}::bigint)`)).rejects.toMatchObject({ errno: "22012" });
    }));
});

describe.if(findPostgres() !== null)("writes that wait for each other on postgres", () => {
  const postgres = STORES.find(({ name }) => name === "postgres")!;
  const twoRows = (db: Db) =>
    db.write(async (tx) => {
      await tx`create table pair (id bigint primary key, n bigint)`;
      await tx`insert into pair (id, n) values (1, 0), (2, 0)`;
    });
  const add = (tx: Tx, id: number) => tx`update pair set n = n + 1 where id = ${id}`;
  const sums = (db: Db) =>
    db.read(async (tx) => (await tx`select n from pair order by id`).map((row: { n: unknown }) => Number(row.n)));

  test("one whose process stands still is rolled back, and the others go on", () =>
    postgres.withStore(async (db, target) => {
      await twoRows(db);
      const other = await openDb({ ...target, writeIdleMs: 200 });
      const [held, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const still = other
        .write(async (tx) => {
          await add(tx, 1);
          held.resolve();
          await woken.promise;
          await add(tx, 2);
        })
        .catch((error: Error) => error.message);
      await held.promise;
      await db.write((tx) => add(tx, 1));
      woken.resolve();
      expect(await still).toBeString();
      expect(await sums(db)).toEqual([1, 0]);
      // Its process goes on too.
      await other.write((tx) => add(tx, 2));
      expect(await sums(db)).toEqual([1, 1]);
      await other.close();
    }));

  test("two both happen where the database wants them in an order", () =>
    postgres.withStore(async (db, target) => {
      await twoRows(db);
      await db.write(async (tx) => {
        const [{ name }] = await tx`select quote_ident(current_database()) as name`;
        await tx.unsafe(`alter database ${name} set default_transaction_isolation = 'serializable'`);
      });
      const strict = await openDb(target);
      const { promise: bothHaveRead, resolve } = Promise.withResolvers<void>();
      let readers = 0;
      const copy = (from: number, to: number) =>
        strict.write(async (tx) => {
          const [{ n }] = await tx`select n from pair where id = ${from}`;
          if (++readers === 2) resolve();
          await bothHaveRead;
          await tx`update pair set n = ${Number(n) + 1} where id = ${to}`;
        });
      try {
        await Promise.all([copy(1, 2), copy(2, 1)]);
        expect(readers).toBe(3);
        expect((await sums(strict)).toSorted()).toEqual([1, 2]);
      } finally {
        await strict.close();
      }
    }));

  test("two that hold what the other one wants both happen", () =>
    postgres.withStore(async (db) => {
      await twoRows(db);
      const bothHold = Promise.withResolvers<void>();
      let holding = 0;
      const crossing = (first: number, second: number) =>
        db.write(async (tx) => {
          await add(tx, first);
          if (++holding === 2) bothHold.resolve();
          await bothHold.promise;
          await add(tx, second);
        });
      await Promise.all([crossing(1, 2), crossing(2, 1)]);
      // One is ended and begins again; it may be first at the row that the other waits for, and then they meet once more.
      expect(holding).toBeGreaterThanOrEqual(3);
      expect(await sums(db)).toEqual([2, 2]);
    }));
});
