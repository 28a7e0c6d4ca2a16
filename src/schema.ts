import { CATALOG_MIGRATIONS } from "./lake/mod.ts";
import { RECORD_MIGRATIONS } from "./metadata/mod.ts";
import { assertUnused, type Db, openStore, type Target } from "./store/mod.ts";
import { TerminalError } from "./types/mod.ts";

/** All steps of the schema, in the order of their numbers: one store holds the catalog and the records. */
export const MIGRATIONS = [...CATALOG_MIGRATIONS, ...RECORD_MIGRATIONS].sort((a, b) => (a.name < b.name ? -1 : 1));

/**
 * Makes a store with the schema of these migrations and nothing in it. Throws TerminalError `schema_newer` where one of them is unknown,
 * `store_not_empty` where there is a store that was ever filled.
 */
export async function openEmptyDb(target: Target, migrations: readonly string[]): Promise<Db> {
  const wanted = new Set(migrations);
  const known = MIGRATIONS.filter(({ name }) => wanted.has(name));
  const unknown = migrations.filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw new TerminalError("schema_newer", `the backup was made by a newer Weir (migration ${unknown.join(", ")})`);
  }
  const db = await openStore(target, { migrations: known, mustExist: false });
  try {
    await db.read(assertUnused);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** Opens the store of a Weir: see `openStore`. */
export function openDb(target: Target, { mustExist = false }: { mustExist?: boolean } = {}): Promise<Db> {
  return openStore(target, { migrations: MIGRATIONS, mustExist });
}
