import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { changed, type Db, insertRows, type RowsTarget, type RowValue, type Tx } from "../../src/store/mod.ts";
import { useStores, withSqlite } from "../support/stores.ts";

const STORES = useStores();

const withTable = (db: Db) =>
  db.write(async (tx) => {
    await tx`create table t (id bigint primary key, name text, "order" text)`;
  });

const all = (db: Db): Promise<object[]> =>
  db.read(async (tx) => {
    const rows: { id: unknown; name: unknown; order: unknown }[] = await tx`select * from t order by id`;
    return rows.map(({ id, name, order }) => ({ id: Number(id), name, order }));
  });

describe.each(STORES)("statements on $name", ({ withStore }) => {
  test("rows are inserted by their columns, one or several", () =>
    withStore(async (db) => {
      await withTable(db);
      await db.write(async (tx) => {
        await tx`insert into ${tx("t")} ${tx({ id: 1, name: "one", order: null })}`;
        const several = tx([
          { id: 2, name: "two", order: "b" },
          { id: 3, name: "'; drop table t; --", order: "c" },
        ]);
        expect(changed(await tx`insert into t ${several}`)).toBe(2);
        await tx`insert into t ${tx({ id: 4, name: undefined, order: "d" })}`;
      });
      expect(await all(db)).toEqual([
        { id: 1, name: "one", order: null },
        { id: 2, name: "two", order: "b" },
        { id: 3, name: "'; drop table t; --", order: "c" },
        { id: 4, name: null, order: "d" },
      ]);
    }));

  test("columns are set, lists looked through, and parts stand in other statements", () =>
    withStore(async (db) => {
      await withTable(db);
      await db.write(async (tx) => {
        await tx`insert into t ${tx([1, 2, 3, 4].map((id) => ({ id, name: `n${id}`, order: "?" })))}`;
        const isOne = tx`name = ${"n1"}`;
        const some = tx`(${isOne} or id in ${tx([2, 3])})`;
        const set = await tx`update t set ${tx({ name: "set", order: "$1" })} where ${some} and id < ${3}`;
        expect(changed(set)).toBe(2);
        await tx`delete from t where ${tx("order")} = ${"?"} and ${tx``} name in ${tx(["n4", "none"])}`;
      });
      expect(await all(db)).toEqual([
        { id: 1, name: "set", order: "$1" },
        { id: 2, name: "set", order: "$1" },
        { id: 3, name: "n3", order: "?" },
      ]);
    }));

  test("one runs once, however often it is awaited", () =>
    withStore(async (db) => {
      await withTable(db);
      await db.write(async (tx) => {
        const insert = tx`insert into t (id) values (1)`;
        await insert;
        await insert;
        tx`insert into t (id) values (2)`;
      });
      expect(await all(db)).toHaveLength(1);
    }));

  test("a list without a value has none in it", () =>
    withStore(async (db) => {
      await withTable(db);
      await db.write((tx) => tx`insert into t (id) values (1)`);
      expect(await db.read((tx) => tx`select * from t where id in ${tx([])}`)).toHaveLength(0);
    }));

  test("none runs in a transaction that has ended", () =>
    withStore(async (db) => {
      await withTable(db);
      let kept: Tx | undefined;
      await db.write(async (tx) => {
        kept = tx;
      });
      await expect((async () => kept!`insert into t (id) values (1)`)()).rejects.toThrow();
      expect(await all(db)).toEqual([]);
    }));

  test("any rows go in, and those that are there are updated", () =>
    withStore(async (db) => {
      await withTable(db);
      const target: RowsTarget = {
        table: "t",
        columns: { id: "bigint", name: "text" },
        onConflict: "on conflict (id) do update set name = excluded.name",
      };
      const text = fc.option(fc.string({ unit: "binary" }).filter((value) => !value.includes("\0")));
      const rows = fc.array(fc.tuple(fc.nat(Number.MAX_SAFE_INTEGER), text), { maxLength: 50 });
      const property = fc.asyncProperty(rows, rows, async (first, second) => {
        const kept = new Map<number, string | null>();
        for (const given of [first, second]) {
          const own = [...new Map(given)];
          await db.write((tx) => insertRows(tx, db.dialect, target, own as RowValue[][]));
          for (const [id, name] of own) kept.set(id, name);
        }
        const expected = [...kept].sort(([a], [b]) => a - b).map(([id, name]) => ({ id, name, order: null }));
        expect(await all(db)).toEqual(expected);
        await db.write((tx) => tx`delete from t`);
      });
      await fc.assert(property, { numRuns: 60 });
      const many = Array.from({ length: 12_001 }, (_, id) => [id, `n${id}`]);
      await db.write((tx) => insertRows(tx, db.dialect, target, many));
      expect(await all(db)).toHaveLength(many.length);
    }));
});

describe("statements that SQLite keeps prepared", () => {
  test("are right after the schema has changed", () =>
    withSqlite(async (db) => {
      await withTable(db);
      await db.write((tx) => tx`insert into t (id) values (1)`);
      expect(await all(db)).toHaveLength(1);
      await db.write((tx) => tx`alter table t add column more text default 'x'`);
      const rows = await db.read((tx) => tx`select * from t order by id`);
      expect([...rows]).toEqual([{ id: 1, name: null, order: null, more: "x" }]);
    }));

  test("are right after an error, and when more are used than it keeps", () =>
    withSqlite(async (db) => {
      await withTable(db);
      const insert = (id: number) => db.write((tx) => tx`insert into t (id) values (${id})`);
      await insert(1);
      await expect(insert(1)).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT_PRIMARYKEY" });
      await db.write(async (tx) => {
        await tx`insert into t (id) values (1)`.catch(() => {});
        await tx`insert into t (id) values (2)`;
      });
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < 700; i++) {
          const [row] = await db.read((tx) => tx.unsafe(`select ${i} as i, count(*) as n from t`));
          expect(row).toEqual({ i, n: 2 });
        }
      }
    }));

  test("are single: a second one would be passed over", () =>
    withSqlite(async (db) => {
      await withTable(db);
      const two = db.write((tx) => tx`insert into t (id) values (1); insert into t (id) values (2)`);
      await expect(two).rejects.toThrow("one at a time");
      const tail = db.write((tx) => tx`insert into t (id, name) values (1, ${"a; b"});`);
      await tail;
      expect(await all(db)).toHaveLength(1);
    }));
});
