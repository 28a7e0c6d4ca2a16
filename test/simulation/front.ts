import { loadConfig } from "../../src/config.ts";
import { checkGeneration } from "../../src/intake/generation.ts";
import { type Catalog, openCatalog } from "../../src/lake/mod.ts";
import { EventFlag, LANES } from "../../src/types/mod.ts";
import { away } from "./broker.ts";
import type { FrontWrongs } from "./frontWrongs.ts";
import { Publisher } from "./publisher.ts";
import { Process } from "./scheduler.ts";
import { SimDb } from "./store.ts";
import { StreamsOf } from "./streams.ts";
import type { Universe } from "./universe.ts";
import type { SimRequest } from "./workload.ts";

const PARTITIONS = 3;
const CONFIG = loadConfig({ WEIR_PARTITIONS: String(PARTITIONS) });
const LOOK_MS = 250;
const LOOKS_PER_CLEANING = 2;

/**
 * Accepts events as src/stream/publish and src/intake/intake.ts do: one frame under way for each (lane, partition), the
 * same one again when its acknowledgement does not come, the copy of a merging event first, and no trust in a stream that
 * counts backwards (protocol rules 2, 3, 4, 6).
 */
export class Front {
  readonly process: Process;
  private readonly catalog: Catalog;
  private current: Publisher | null = null;
  private checkNeeded = true;
  private wentBack = false;

  constructor(
    readonly universe: Universe,
    name: string,
    readonly wrongs: FrontWrongs,
    onDeath: () => void,
  ) {
    this.process = new Process(name, onDeath);
    this.catalog = openCatalog(new SimDb(universe, this.process));
    universe.broker.listen((change) => {
      if (change !== "up") return;
      this.checkNeeded = true;
      universe.scheduler.after(universe.scheduler.delayMs(), this.process, () => this.current?.onReconnect());
    });
    void this.look();
  }

  /** Throws while nothing can be accepted, and when not all was. */
  async accept({ teamId, lane, events, dropped, isCorrupt }: SimRequest): Promise<void> {
    const { scheduler, broker } = this.universe;
    await scheduler.point(this.process);
    const publisher = this.current;
    if (!broker.isUp || publisher === null || this.checkNeeded) throw away();
    const stamped = events.map((event) => {
      const timestampMs = event.flags & EventFlag.ServerTime ? scheduler.nowMs + event.timestampMs : event.timestampMs;
      return { ...event, timestampMs };
    });
    if (lane === "identity") await publisher.storeIdentity(teamId, stamped);
    else await publisher.publish(teamId, lane, stamped, dropped, isCorrupt);
  }

  /** It has looked at the streams, and events can be accepted. */
  get isOpen(): boolean {
    return this.current !== null && !this.checkNeeded && !this.wentBack;
  }

  sequenceWentBack(): void {
    this.wentBack = true;
  }

  private async look(): Promise<void> {
    const { scheduler, broker } = this.universe;
    for (let looks = 0; ; ) {
      try {
        if (broker.isUp) {
          if (this.wentBack) await this.giveUpGeneration();
          if (this.checkNeeded || !(await this.isCurrent())) await this.checkStreams();
          if (looks++ % LOOKS_PER_CLEANING === 0) {
            await this.collect();
            await this.current?.purge();
          }
        }
      } catch (error) {
        this.universe.log(this.process.name, `looking: ${(error as Error).message}`);
      }
      await scheduler.sleep(this.process, LOOK_MS);
    }
  }

  private async checkStreams(): Promise<void> {
    if (this.wrongs.trustsStreams && (await this.trust())) return;
    const check = await checkGeneration(new StreamsOf(this.universe, this.process), this.catalog, CONFIG);
    this.checkNeeded = false;
    this.universe.log(this.process.name, `streams: ${JSON.stringify(check)}`);
    if (check.state === "draining") {
      this.setCurrent(null);
      return;
    }
    if (this.current?.generation === check.open.generation) return;
    this.setCurrent(new Publisher(this, this.catalog, check.open));
  }

  private async isCurrent(): Promise<boolean> {
    if (this.current === null || this.wrongs.trustsStreams) return this.current !== null;
    const known = await this.catalog.currentGeneration();
    return known?.state === "open" && known.generation === this.current.generation;
  }

  private async trust(): Promise<boolean> {
    const open = await this.catalog.currentGeneration();
    if (open === null) return false;
    for (const lane of LANES) this.universe.broker.ensureStream(lane, open.generation);
    this.checkNeeded = false;
    if (this.current === null) this.setCurrent(new Publisher(this, this.catalog, open));
    return true;
  }

  private async giveUpGeneration(): Promise<void> {
    if (this.current !== null) await this.catalog.drainGeneration(this.current.generation);
    this.wentBack = false;
    this.checkNeeded = true;
  }

  private setCurrent(next: Publisher | null): void {
    this.current?.close();
    this.current = next;
  }

  /** Unlinks what nobody can need any more. */
  private async collect(): Promise<void> {
    const ids = await this.catalog.collectable();
    if (this.wrongs.collectsPending) {
      const pending = this.universe.store.rows<{ id: string }>("select id from segments where state = 'pending'");
      for (const { id } of pending) this.universe.disk.files.delete(id);
    }
    if (ids.length === 0) return;
    await this.universe.scheduler.point(this.process);
    for (const id of ids) this.universe.disk.remove(id);
    await this.catalog.forget(ids);
  }
}
