import { setPriority } from "node:os";
import type { Config } from "../config.ts";
import { ExportLoop, Settling } from "../export/mod.ts";
import { LakeExporter, openCatalog, spillDirectory, sweepSpills } from "../lake/mod.ts";
import { type Exports, exportContext } from "../manage/mod.ts";
import { SecretBox } from "../outgoing/mod.ts";
import { closeParser } from "../query/mod.ts";
import { connectBus } from "../stream/mod.ts";
import { logger } from "./log.ts";
import { openExistingRecords, openStorage, paths } from "./paths.ts";
import { liveAsChild } from "./supervision/children.ts";
import { brokerAddress } from "./urls.ts";

/** As for `nice`: events and queries come first, compaction after. */
const EXPORTER_PRIORITY = 5;

/** What exports of this machine share with its management API. */
export function exportsOf(config: Config): Exports {
  return {
    secrets: new SecretBox({ dataDir: config.dataDir, setting: config.exportKey }),
    env: {
      folder: paths(config).exports,
      allowedFolders: config.exportFolders,
      allowPrivate: config.exportAllowPrivate,
    },
  };
}

/** A process that runs batch exports; several may run beside each other, and each run is done by one. */
export async function runExporter(config: Config): Promise<number> {
  setPriority(EXPORTER_PRIORITY);
  const holder = `exporter-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const log = logger(holder);
  const db = await openExistingRecords(config);
  const bus = await connectBus(brokerAddress(config), { name: holder });
  const catalog = openCatalog(db);
  const { exports: folder } = paths(config);
  // Of processes that were killed.
  await sweepSpills(folder);
  const scratch = spillDirectory(folder);
  const now = () => Date.now();
  const exporter = new LakeExporter({
    catalog,
    storage: openStorage(config, { log }),
    memoryLimitBytes: config.exportMemoryBytes,
    spillLimitBytes: config.exportSpillBytes,
    scratch,
  });
  const settling = new Settling({ bus, catalog, isOwnBroker: config.natsUrl === null, now });
  const contextOf = exportContext({ db, config, now });
  const loop = new ExportLoop({
    db,
    exporter,
    settling,
    ...exportsOf(config),
    needs: { contextOf, timesOf: (teamId, interval) => exporter.timesOf(teamId, interval) },
    scratch,
    waiting: new Set(),
    holder,
    keepDownloadsMs: config.exportKeepMs,
    now,
    log,
  });
  liveAsChild(() => loop.stop());
  await loop.run();
  settling.close();
  await exporter.close();
  closeParser();
  await bus.close();
  await db.close();
  return 0;
}
