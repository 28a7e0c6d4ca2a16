import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/config.ts";
import { type Lake, LocalStore, openCatalog, openLake } from "../../../src/lake/mod.ts";
import { openDb } from "../../../src/schema.ts";
import { type Dataset, dataDirOf } from "./dataset.ts";

const DEADLINE_MS = 60_000;

/** The lake that a data set is, with one query process, which stands. */
export async function lakeOf(set: Dataset): Promise<Lake> {
  const dataDir = dataDirOf(set);
  const db = await openDb({ databaseUrl: null, sqlitePath: join(dataDir, "weir.db") });
  const lake = openLake({
    config: { ...loadConfig({}), queryProcesses: 1 },
    catalog: openCatalog(db),
    storage: new LocalStore(join(dataDir, "lake")),
    runDirectory: mkdtempSync(join(set.path, "run-")),
    log: (message) => console.error(message),
  });
  // Each question has a DuckDB of its own, which the process keeps ready.
  await lake.query({
    teamId: set.vocabulary.team,
    range: { fromMs: null, toMs: null },
    sql: () => ({ text: "select 1", params: [] }),
    deadlineMs: DEADLINE_MS,
    maxRows: 1,
  });
  return lake;
}
