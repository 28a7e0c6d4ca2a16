import { once } from "node:events";
import type { Config } from "../config.ts";
import { ExportLoop, Settling } from "../export/mod.ts";
import { LakeExporter, openCatalog, spillDirectory, sweepSpills } from "../lake/mod.ts";
import { exportContext } from "../manage/mod.ts";
import { closeParser } from "../query/mod.ts";
import type { Db } from "../store/mod.ts";
import { connectBus } from "../stream/mod.ts";
import { exportsOf } from "./exportsOf.ts";
import { logger } from "./log.ts";
import { openStorage, paths } from "./paths.ts";
import { brokerAddress } from "./urls.ts";

/** Makes the runs of batch exports that are due, and performs them, until `signal`. */
export async function runExports(config: Config, db: Db, signal: AbortSignal): Promise<void> {
  const holder = `exporter-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const log = logger(holder);
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
    holder,
    keepDownloadsMs: config.exportKeepMs,
    now,
    log,
  });
  if (!signal.aborted) {
    const stop = loop.start();
    await once(signal, "abort");
    await stop();
  }
  settling.close();
  await exporter.close();
  closeParser();
  await bus.close();
}
