import type { Actor } from "../../actors/contract.ts";
import type { Config } from "../config.ts";
import { inTurns } from "../intake/mergeTurns.ts";
import { type Catalog, DuplicateIndex, openCatalog, SegmentWriter } from "../lake/mod.ts";
import { noteDefinitions } from "../metadata/mod.ts";
import { deliver } from "../runtime/deliver.ts";
import { Sender } from "../runtime/sender.ts";
import { Fenced, Worker } from "../runtime/worker.ts";
import { realWorld } from "../runtime/world.ts";
import { type Bus, connectBus, type Publisher } from "../stream/mod.ts";
import { logger } from "./log.ts";
import { openExistingRecords, openStorage } from "./paths.ts";
import { checkStore } from "./storeCheck.ts";
import { liveAsChild, liveAsMember } from "./supervision/children.ts";
import { brokerAddress } from "./urls.ts";

const MIB = 1024 * 1024;
/** Merges: those of one commit, and as many as come in meanwhile. With fewer, a flush of events comes between two small ones of them. */
const READ_BUFFER_BYTES = { events: 2 * MIB, merges: 4 * MIB };
/** "Temporary failure" (sysexits.h): it stood still for longer than its lease; start it again. */
const EXIT_FENCED = 75;

/** A worker process: joins, takes its share of the partitions, and works until it is told to stop. */
export async function runWorker(config: Config, actors: readonly Actor[]): Promise<number> {
  const id = `worker-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const log = logger(id);
  const db = await openExistingRecords(config);
  const bus = await connectBus(brokerAddress(config), { name: id });
  const storage = openStorage(config, { log });
  await checkStore(config, { db, storage, log });
  const catalog = openCatalog(db, noteDefinitions);
  const writer = new SegmentWriter({ storage, memoryLimitBytes: config.workerMemoryBytes });
  const duplicates = new DuplicateIndex({
    storage,
    maxKeys: config.duplicateKeysMax,
    filterBytes: config.duplicateFilterBytes,
    memoryLimitBytes: config.workerMemoryBytes,
  });
  const limits = { ...config, readBufferBytes: READ_BUFFER_BYTES };
  const worker = new Worker({ id, catalog, bus, writer, duplicates, world: realWorld, actors, limits, log });
  const sender = openSender({ config, bus, catalog, worker, log });
  liveAsChild(() => worker.stop());
  liveAsMember(id, (ended) => worker.expel(ended));
  try {
    const sending = sender.run();
    await worker.run();
    sender.stop();
    await sending;
  } catch (error) {
    if (!(error instanceof Fenced)) throw error;
    log(error.message);
    return EXIT_FENCED;
  }
  await Promise.all([writer.close(), duplicates.close(), bus.close()]);
  await db.close();
  return 0;
}

interface SenderNeeds {
  config: Config;
  bus: Bus;
  catalog: Catalog;
  worker: Worker;
  log(message: string): void;
}

/** Sends what the worker's actors have put into the outbox. */
function openSender({ config, bus, catalog, worker, log }: SenderNeeds): Sender {
  let open: { generation: number; publisher: Publisher } | null = null;
  const publisher = (): Publisher | null => {
    const current = worker.currentGeneration;
    if (current === null) return null;
    if (open?.generation !== current.generation) {
      open?.publisher.close();
      open = { generation: current.generation, publisher: bus.publisher({ ...config, ...current, inTurns }) };
    }
    return open.publisher;
  };
  return new Sender({
    catalog,
    partitions: () => worker.partitions,
    deliver: (message) => deliver(message, publisher),
    world: realWorld,
    log,
  });
}
