import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Actor } from "../../actors/contract.ts";
import { ACTORS } from "../../actors/mod.ts";
import { type Config, loadConfig } from "../../src/config.ts";
import { checkGeneration } from "../../src/intake/generation.ts";
import { inTurns } from "../../src/intake/mergeTurns.ts";
import { type Catalog, DuplicateIndex, LocalStore, openCatalog, SegmentWriter } from "../../src/lake/mod.ts";
import { noteDefinitions } from "../../src/metadata/mod.ts";
import { importRequest } from "../../src/persons/mod.ts";
import { realWorld, Worker, type World } from "../../src/runtime/mod.ts";
import type { Db } from "../../src/store/mod.ts";
import {
  type Broker,
  type Bus,
  connectBus,
  findNatsServer,
  type Publisher,
  startBroker,
} from "../../src/stream/mod.ts";
import type { AcceptedEvent, Lane } from "../../src/types/mod.ts";
import { HANG_MS } from "../support/processes.ts";
import { readRows } from "../support/storedRows.ts";
import { openFresh } from "../support/stores.ts";

/** A broker, a record store and a lake, and workers in this process: what a worker needs and no HTTP. */
export class Rig {
  private readonly workers: { worker: Worker; done: Promise<void>; bus: Bus }[] = [];
  readonly log: string[] = [];

  private constructor(
    readonly dataDir: string,
    readonly config: Config,
    readonly broker: Broker,
    readonly bus: Bus,
    readonly db: Db,
    readonly catalog: Catalog,
    public publisher: Publisher,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<Rig> {
    const dataDir = mkdtempSync(join(tmpdir(), "weir-rig-"));
    const config = loadConfig({
      ...process.env,
      WEIR_DATA_DIR: dataDir,
      WEIR_PARTITIONS: "4",
      WEIR_FLUSH_MS: "50",
      WEIR_HISTORY_FLUSH_MS: "100",
      WEIR_LEASE_TTL_MS: "1500",
      ...env,
    });
    mkdirSync(join(dataDir, "lake"));
    const natsServerPath = findNatsServer(config.natsServerPath);
    const broker = await startBroker({ dataDir, natsServerPath, maxFileStoreBytes: 2 ** 34, log: () => {} });
    const bus = await connectBus(broker.url, { name: "rig" });
    const db = await openFresh(join(dataDir, "weir.db"));
    const catalog = openCatalog(db, noteDefinitions);
    const check = await checkGeneration(bus, catalog, config);
    if (check.state !== "open") throw new Error("no open generation");
    const publisher = bus.publisher({ ...config, ...check.open, inTurns });
    return new Rig(dataDir, config, broker, bus, db, catalog, publisher);
  }

  /** Starts a worker; `catalog` may be one that misbehaves. */
  async startWorker(
    o: { id?: string; actors?: readonly Actor[]; catalog?: Catalog; maxKeys?: number; world?: World } = {},
  ): Promise<Worker> {
    const directory = join(this.dataDir, "lake");
    const storage = new LocalStore(directory);
    const bus = await connectBus(this.broker.url, { name: "worker" });
    const worker = new Worker({
      id: o.id ?? `worker-${crypto.randomUUID().slice(0, 8)}`,
      catalog: o.catalog ?? this.catalog,
      bus,
      writer: new SegmentWriter({ storage, memoryLimitBytes: 2 ** 29 }),
      duplicates: new DuplicateIndex({ storage, maxKeys: o.maxKeys ?? 1_000_000, filterBytes: 1 << 20 }),
      world: o.world ?? realWorld,
      actors: o.actors ?? ACTORS,
      limits: { ...this.config, readBufferBytes: { events: 2 ** 20, merges: 2 ** 20 } },
      log: (line) => this.log.push(line),
    });
    this.workers.push({ worker, done: worker.run(), bus });
    return worker;
  }

  async stopWorker(worker: Worker): Promise<void> {
    worker.stop();
    await this.workers.find((w) => w.worker === worker)?.done;
  }

  /** Rejects with what a worker ends with; it need not be stopped after that. */
  async endOf(worker: Worker): Promise<void> {
    const at = this.workers.findIndex((w) => w.worker === worker);
    const { done, bus } = this.workers.splice(at, 1)[0]!;
    await done.finally(() => bus.close());
  }

  publish(events: AcceptedEvent[], lane: Lane = "live"): Promise<void> {
    return this.publisher.publish({ teamId: 1, lane, events, dropped: {} });
  }

  /** Waits until the settled counts of project 1 come to `total`. */
  async settled(total: number, generation = 1) {
    for (const giveUpAt = Date.now() + HANG_MS; ; await Bun.sleep(20)) {
      const counts = await this.catalog.settledCounts(1, generation);
      const sum = counts.stored + counts.duplicates + counts.deadLetters;
      if (sum >= total) return counts;
      if (Date.now() > giveUpAt) throw new Error(`${sum} of ${total} settled\n${this.log.join("\n")}`);
    }
  }

  /** Waits until everything on the identity lane of project 1 is committed. */
  async merged(): Promise<void> {
    const probe = importRequest(
      { teamId: 1, uuid: crypto.randomUUID(), nowMs: Date.now() },
      { kind: "import", distinctIds: ["nobody"], properties: "{}", createdAtMs: null, isIdentified: false },
    );
    const { partition, sequence } = await this.publisher.publishIdentity(1, [probe]);
    for (const giveUpAt = Date.now() + HANG_MS; ; await Bun.sleep(20)) {
      const positions = await this.catalog.committedPositions(1);
      const identity = positions.find((at) => at.lane === "identity" && at.partition === partition);
      if (identity !== undefined && identity.position >= sequence) return;
      if (Date.now() > giveUpAt) throw new Error(`the identity lane is not worked off\n${this.log.join("\n")}`);
    }
  }

  /** Every row that a query of project 1 would see now, in order of acceptance within (lane, partition). */
  rows() {
    return readRows(this.catalog, () => join(this.dataDir, "lake"), 1);
  }

  async close(): Promise<void> {
    for (const { worker, done, bus } of this.workers) {
      worker.stop();
      await done;
      await bus.close();
    }
    await this.bus.close();
    await this.broker.stop();
    await this.db.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

let serial = 0;

/** An event with a uuid of its own. */
export function event(name: string, distinctId = "someone", uuid: string = crypto.randomUUID()): AcceptedEvent {
  serial++;
  const properties = `{"serial":${serial}}`;
  const timestampMs = 1_767_225_600_000 + serial;
  return {
    teamId: 1,
    uuid,
    event: name,
    distinctId,
    timestampMs,
    properties,
    elementsChain: "",
    flags: 0,
    mergedAtMs: 0,
    mergeSequence: 0,
  };
}
