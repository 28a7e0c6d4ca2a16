import { join } from "node:path";
import { type Catalog, openCatalog } from "../../src/lake/mod.ts";
import { openDb } from "../../src/schema.ts";
import type { Db } from "../../src/store/mod.ts";
import type { Weir } from "./weir.ts";

/** The record store of a Weir that runs, looked at from beside. */
export async function catalogOf(weir: Weir): Promise<{ db: Db; catalog: Catalog } & AsyncDisposable> {
  const db = await openDb({ databaseUrl: weir.databaseUrl, sqlitePath: join(weir.dataDir, "weir.db") });
  return { db, catalog: openCatalog(db), [Symbol.asyncDispose]: () => db.close() };
}
