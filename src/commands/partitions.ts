import { type Config, PARTITIONS_MAX } from "../config.ts";
import { diskRoom, readInstallation } from "../health/mod.ts";
import { type Catalog, openCatalog } from "../lake/mod.ts";
import { brokerAddress } from "../roles/urls.ts";
import { connectBus } from "../stream/mod.ts";
import { TerminalError, UsageError } from "../types/mod.ts";
import { type Arguments, wholeNumber } from "./kit/command.ts";
import type { Printed } from "./kit/output.ts";
import { doOnRecords } from "./kit/records.ts";
import { untilSignal } from "./kit/signal.ts";

/** What waits for longer is a long queue, or workers that stand still: captures would be refused until it is stored. */
const LAG_MAX_MS = 30_000;
const LOOK_MS = 100;

/** `weir partitions`. Throws UsageError, TerminalError `not_open`, `queue_too_long`, `no_broker`, `no_data_folder`, `interrupted`. */
export function runPartitions({ options, words }: Arguments<{ anyway: "flag" }>, config: Config): Promise<number> {
  const [action, count] = words;
  if (action === undefined) return doOnRecords(config, (db) => show(openCatalog(db)));
  if (action !== "set" || count === undefined) throw new UsageError("Give `set` and a number, or nothing.");
  const wanted = wholeNumber("N", count, 1, PARTITIONS_MAX);
  return doOnRecords(config, (db) => change(openCatalog(db), config, wanted, options.anyway === true));
}

async function show(catalog: Catalog): Promise<Printed> {
  const { generation, partitions } = await opened(catalog);
  return { text: String(partitions), note: `Generation ${generation} of the event streams.` };
}

async function change(catalog: Catalog, config: Config, wanted: number, isForced: boolean): Promise<Printed> {
  const { generation, partitions } = await opened(catalog);
  if (partitions === wanted) return { text: String(wanted), note: "That is the number already." };
  if (!isForced) await assertShortQueue(catalog, config);
  const ends = untilSignal("the wait");
  if (!(await catalog.setPartitions(generation, wanted))) throw notOpen();
  console.error(`Storing what waits in generation ${generation}; captures are answered 503 until then.`);
  for (;;) {
    const current = await catalog.currentGeneration();
    if (current?.state === "open" && current.generation > generation) {
      return { text: String(current.partitions), note: `Generation ${current.generation} is open.` };
    }
    // The change goes on without this command.
    ends.throwIfAborted();
    await Bun.sleep(LOOK_MS);
  }
}

async function opened(catalog: Catalog) {
  const current = await catalog.currentGeneration();
  if (current?.state !== "open") throw notOpen();
  return current;
}

const notOpen = () => new TerminalError("not_open", "There are no open event streams: is Weir running, and ready?");

async function assertShortQueue(catalog: Catalog, config: Config): Promise<void> {
  const disk = await diskRoom(config.dataDir);
  const bus = await connectBus(brokerAddress(config), { name: "weir-partitions" });
  try {
    const { queued } = await readInstallation({ bus, catalog, queue: null, disk }, Date.now());
    if (queued.lag_ms <= LAG_MAX_MS) return;
    const seconds = Math.round(queued.lag_ms / 1000);
    throw new TerminalError(
      "queue_too_long",
      `${queued.events} events wait, the oldest for ${seconds} s: captures would be refused until they are stored. Wait, or give --anyway.`,
    );
  } finally {
    await bus.close();
  }
}
