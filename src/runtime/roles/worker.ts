import { existsSync, readFileSync } from "node:fs";
import type { Config } from "../../config.ts";
import { DuplicateIndex, openCatalog, SegmentWriter } from "../../lake/mod.ts";
import { connectBus } from "../../stream/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import type { Actor } from "../actor.ts";
import { liveAsChild } from "../children.ts";
import { logger } from "../log.ts";
import { openRecords, paths } from "../paths.ts";
import { Worker } from "../worker.ts";

/** Compressed frames that one reader holds ahead of the flush. */
const READ_BUFFER_BYTES = 2 * 1024 * 1024;

/** A worker process: joins, takes its share of the partitions, and works until it is told to stop. */
export async function runWorker(config: Config, actors: readonly Actor[]): Promise<number> {
  const id = `worker-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const log = logger(id);
  const db = await openRecords(config);
  const bus = await connectBus(brokerUrl(config), { name: id });
  const directory = paths(config).lake;
  const writer = new SegmentWriter({ directory, memoryLimitBytes: config.workerMemoryBytes });
  const duplicates = new DuplicateIndex({ directory, maxKeys: config.duplicateKeysMax });
  const worker = new Worker({
    id,
    catalog: openCatalog(db),
    bus,
    writer,
    duplicates,
    actors,
    limits: { ...config, readBufferBytes: READ_BUFFER_BYTES },
    log,
  });
  liveAsChild(() => worker.stop());
  await worker.run();
  await Promise.all([writer.close(), duplicates.close(), bus.close()]);
  await db.close();
  return 0;
}

/** The shared broker, or the one that `weir start` runs on this data folder. */
export function brokerUrl(config: Config): string {
  if (config.natsUrl !== null) return config.natsUrl;
  const file = paths(config).brokerUrl;
  if (!existsSync(file)) throw new TerminalError("no_broker", "set NATS_URL, or run `weir start` on this data folder");
  return readFileSync(file, "utf8").trim();
}
