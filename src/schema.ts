import { CATALOG_MIGRATIONS } from "./lake/mod.ts";
import { RECORD_MIGRATIONS } from "./metadata/mod.ts";
import { type Db, openStore, type Target } from "./store/mod.ts";

/** All steps of the schema, in the order of their numbers: one store holds the catalog and the records. */
export const MIGRATIONS = [...CATALOG_MIGRATIONS, ...RECORD_MIGRATIONS].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Opens the store of a Weir: see `openStore`. */
export function openDb(target: Target, { mustExist = false }: { mustExist?: boolean } = {}): Promise<Db> {
  return openStore(target, { migrations: MIGRATIONS, mustExist });
}
