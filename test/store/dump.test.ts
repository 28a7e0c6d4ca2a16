import { describe, expect, test } from "bun:test";
import { MIGRATIONS, openDb, openEmptyDb } from "../../src/schema.ts";
import { type Db, type DumpFacts, type DumpLine, dumpStore, loadStore } from "../../src/store/mod.ts";
import { useStores } from "../support/stores.ts";

const stores = useStores();
const NAMES = MIGRATIONS.map(({ name }) => name);

interface Dump {
  facts: DumpFacts;
  lines: DumpLine[];
}

async function dumpOf(db: Db): Promise<Dump> {
  let lines: DumpLine[] = [];
  const begin = () => {
    lines = [];
    return async (more: readonly DumpLine[]) => {
      lines.push(...(JSON.parse(JSON.stringify(more)) as DumpLine[]));
    };
  };
  const { facts } = await dumpStore(db, begin, async () => null);
  return { facts, lines };
}

const from = (lines: readonly DumpLine[]) =>
  async function* () {
    yield* lines;
  };

/** Rows without an order, and numbers as the dialect gives them. */
function contents({ lines, facts }: Dump): unknown {
  const tables: Record<string, string[]> = {};
  let rows: string[] = [];
  for (const line of lines) {
    if (Array.isArray(line))
      rows.push(JSON.stringify(line.map((value) => (typeof value === "number" ? String(value) : value))));
    else rows = tables[`${line.table} ${line.columns}`] = [];
  }
  for (const each of Object.values(tables)) each.sort();
  return { tables, facts };
}

const USER = {
  ...{ organization_id: "o", level: "owner", first_name: "", last_name: "", email: "", is_email_verified: 0 },
  ...{ role_at_organization: "", created_at_ms: 1 },
};

/** More rows than are read at once, and texts that another form could change. */
async function fill(db: Db): Promise<void> {
  await db.write(async (tx) => {
    await tx`insert into catalog_state (id, version, duplicates_met) values (1, 9007199254740991, 3) on conflict do nothing`;
    for (let i = 0; i < 2_345; i++) {
      await tx`insert into commits (id, version, at_ms) values (${`commit ${i} "\u2028\n\\ü🦊`}, ${i}, ${1_700_000_000_000 + i})`;
    }
    await tx`insert into pins (id, version, expires_at_ms) values ('p', 1, 2)`;
  });
}

describe.each(stores)("a dump of $name", ({ withStore }) => {
  test.each(stores)("put into $name is the same store", async (other) => {
    await withStore(async (db) => {
      await fill(db);
      const dump = await dumpOf(db);
      expect(dump.facts.migrations).toEqual(NAMES);
      expect(dump.facts.rows.commits).toBe(2_345);
      expect(dump.facts.rows.pins).toBeUndefined();
      await other.withStore(async (target) => {
        await loadStore(target, dump.facts, from(dump.lines));
        expect(contents(await dumpOf(target))).toEqual(contents(dump));
      });
    });
  });

  test("that lacks rows changes nothing", async () => {
    await withStore(async (db) => {
      await fill(db);
      const dump = await dumpOf(db);
      const loading = loadStore(db, dump.facts, from(dump.lines.slice(0, -1)));
      await expect(loading).rejects.toMatchObject({ code: "dump_damaged" });
      expect(contents(await dumpOf(db))).toEqual(contents(dump));
    });
  });
});

describe.each(stores)("generated keys of $name", ({ withStore }) => {
  test("go on behind the highest that was ever given, also behind one that was deleted", async () => {
    await withStore(async (db) => {
      const add = (to: Db) =>
        to.write(async (tx): Promise<number> => {
          const rows: { id: unknown }[] = await tx`
            insert into users ${tx({ ...USER, uuid: crypto.randomUUID(), distinct_id: crypto.randomUUID() })} returning id`;
          return Number(rows[0]!.id);
        });
      await add(db);
      const highest = await add(db);
      await db.write((tx) => tx`delete from users where id = ${highest}`);
      const dump = await dumpOf(db);
      await withStore(async (target) => {
        await loadStore(target, dump.facts, from(dump.lines));
        expect(await add(target)).toBe(highest + 1);
      });
    });
  });
});

describe.each(stores)("two loads at once into $name", ({ withStore }) => {
  test("leave the rows of one, and the other finds them", async () => {
    await withStore(async (db, target) => {
      const user = { ...USER, uuid: crypto.randomUUID(), distinct_id: crypto.randomUUID() };
      await db.write((tx) => tx`insert into users ${tx(user)}`);
      const dump = await dumpOf(db);
      await db.write((tx) => tx`delete from users`);
      const other = await openDb(target);
      try {
        const loads = [db, other].map((into) => loadStore(into, dump.facts, from(dump.lines)));
        const ended = await Promise.allSettled(loads);
        const failed = ended.filter(({ status }) => status === "rejected");
        expect(failed).toMatchObject([{ reason: { code: "store_not_empty" } }]);
        expect(contents(await dumpOf(db))).toEqual(contents(dump));
      } finally {
        await other.close();
      }
    });
  });
});

test("an empty store is made with the schema of a dump, and refused where somebody uses it or a migration is unknown", async () => {
  await stores[0]!.withStore(async (db, target) => {
    await expect(openEmptyDb(target, [...NAMES, "999_to_come"])).rejects.toMatchObject({ code: "schema_newer" });
    const empty = await openEmptyDb(target, NAMES);
    await empty.close();
    await db.close();
    await (await openDb(target)).close();
  });
});
