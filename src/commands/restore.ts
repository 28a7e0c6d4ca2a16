import { rm } from "node:fs/promises";
import { type RestoreReport, restore } from "../backup/mod.ts";
import type { Config } from "../config.ts";
import { openCatalog } from "../lake/mod.ts";
import { openStorage, paths } from "../roles/paths.ts";
import { openDb, openEmptyDb } from "../schema.ts";
import type { Arguments } from "./kit/command.ts";
import { placeAt } from "./kit/place.ts";
import { untilSignal } from "./kit/signal.ts";

type Given = Arguments<{ snapshot: "text"; endpoint: "text"; json: "flag" }>;

/** `weir restore`. Throws UsageError, and as `restore` does. */
export async function runRestore({ options, words }: Given, config: Config): Promise<number> {
  const [address] = words;
  const { databaseUrl, dataDir } = config;
  const { records } = paths(config);
  const target = { databaseUrl, sqlitePath: records };
  const report = await restore({
    place: placeAt(address, options.endpoint),
    ...{ dataDir, snapshot: options.snapshot ?? null },
    openStorage: () => openStorage(config, { isShared: false }),
    openStore: async (migrations) => {
      // The folder is this restore's: records in it are those of a try that was killed before it took the mark away.
      for (const end of ["", "-wal", "-shm"]) await rm(records + end, { force: true });
      return openEmptyDb(target, migrations);
    },
    signal: untilSignal("the restore"),
  });
  // A backup of an older Weir has an older schema.
  const db = await openDb(target, { mustExist: true });
  await openCatalog(db)
    .endAllJobs()
    .finally(() => db.close());
  console.log(options.json ? JSON.stringify(report) : text(report, config));
  return 0;
}

function text({ snapshot, files, sizeBytes, rows, damaged }: RestoreReport, { dataDir }: Config): string {
  const size = `${(sizeBytes / 2 ** 20).toFixed(1)} MiB`;
  return [
    `Restored snapshot ${snapshot} into ${dataDir}: ${files} files, ${size}, ${rows} rows of records.`,
    ...(damaged.length === 0 ? [] : [`Damaged already when they were backed up: ${damaged.join(", ")}.`]),
    "`weir lake verify` compares all files with the records; `weir start` starts it.",
  ].join("\n");
}
