import { afterAll, beforeAll, describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Catalog, openCatalog } from "../../src/lake/catalog/catalog.ts";
import { openDb } from "../../src/schema.ts";
import type { Db } from "../../src/store/mod.ts";
import { startPostgres } from "../support/postgres.ts";

const LANES = ["live", "history"] as const;

/** A catalog with a generation of two partitions. */
export interface OpenStore {
  db: Db;
  catalog: Catalog;
}

/** Opens a generation in place of the one before; false when another was faster. */
export async function openNext(catalog: Catalog, generation: number): Promise<boolean> {
  const streams = LANES.map((lane) => ({ lane, created: "2026-01-01T00:00:00Z" }));
  const after = generation === 1 ? null : generation - 1;
  return (await catalog.openGeneration({ generation, after, partitions: 2, streams, nowMs: 0 })) !== null;
}

/** The same tests on each kind of store; what `of` gives is there once they run. */
export function onEveryStore(what: string, tests: (of: OpenStore) => void): void {
  describe.each(["sqlite", "postgres"])(`${what} on %s`, (kind) => {
    const of = {} as OpenStore;
    let close: () => Promise<void>;

    beforeAll(async () => {
      const directory = mkdtempSync(join(tmpdir(), "weir-catalog-"));
      const postgres = kind === "postgres" ? await startPostgres() : null;
      of.db = await openDb({ databaseUrl: postgres?.url ?? null, sqlitePath: join(directory, "weir.db") });
      of.catalog = openCatalog(of.db);
      close = async () => {
        await of.db.close();
        await postgres?.stop();
        rmSync(directory, { recursive: true, force: true });
      };
      await openNext(of.catalog, 1);
    });
    afterAll(() => close());

    tests(of);
  });
}
