import type { Actor } from "../../actors/contract.ts";
import {
  type Catalog,
  type CheckedEvent,
  CommitRefused,
  type DuplicateIndex,
  FlushLayouts,
  type SegmentFacts,
  type SegmentWriter,
} from "../lake/mod.ts";
import type { Bus, Membership } from "../stream/mod.ts";
import { describeError, TerminalError } from "../types/mod.ts";
import { carefulFlush, HangingEvent } from "./careful.ts";
import { DefinitionScan } from "./definitionScan.ts";
import { DuplicateView, SegmentView } from "./duplicateView.ts";
import { ErasureView } from "./erasureView.ts";
import { Flights } from "./flights.ts";
import { flush } from "./flush.ts";
import type { FlushTools } from "./flushTools.ts";
import { CAREFUL_FROM_ATTEMPTS, type Take } from "./ownedPartition.ts";
import { type BufferBytes, type GenerationInUse, Ownership } from "./ownership.ts";
import { PersonCache } from "./personCache.ts";
import { Schedule, type ScheduleLimits } from "./schedule.ts";
import type { World } from "./world.ts";

export interface WorkerParts {
  id: string;
  catalog: Catalog;
  bus: Pick<Bus, "join" | "onConnection" | "reader">;
  writer: Pick<SegmentWriter, "writeFlush">;
  duplicates: Pick<DuplicateIndex, "adopt" | "check" | "isFull" | "sync">;
  world: World;
  actors: readonly Actor[];
  limits: ScheduleLimits & {
    leaseTtlMs: number;
    readBufferBytes: BufferBytes;
    knownPersonsMax: number;
    definitionsMax: number;
  };
  log(message: string): void;
}

/**
 * This worker stood still for longer than its lease, and others have taken its partitions: the process should end, so
 * that its supervisor learns of it.
 */
export class Fenced extends TerminalError {
  constructor(detail: string) {
    super("fenced", `stood still for longer than the lease; others have taken over (${detail})`);
  }
}

/** How often an idle worker looks whether something is due. */
const IDLE_MS = 20;
/** How often it asks the catalog for the generation in use, and whether what it owns is still its own. */
const CATALOG_CHECK_MS = 1_000;
/** How often it looks whether compaction has made room for keys. */
const MAKE_ROOM_MS = 500;
const RETRY_MS = 500;
/** At the same time: while the engine writes the file of one, the next is decoded and worked through. */
const FLUSHES_MAX = 2;

/**
 * Owns partitions and works them off: reads in order from the committed position, flushes, commits. That two workers differ
 * for a moment about which members are alive is harmless, because only the one with the newest epoch can commit.
 */
export class Worker {
  private readonly ownership: Ownership;
  private readonly schedule: Schedule;
  private readonly flights = new Flights(FLUSHES_MAX);
  private readonly segments: SegmentView;
  private readonly duplicates: DuplicateView;
  private readonly persons: PersonCache;
  private readonly definitions: DefinitionScan;
  private readonly erasures: ErasureView;
  private readonly layouts: FlushLayouts;
  private generation: GenerationInUse | null = null;
  private catalogCheckedAtMs = Number.NEGATIVE_INFINITY;
  private roomMadeAtMs = Number.NEGATIVE_INFINITY;
  private membership: Membership | null = null;
  /** Standstills until its partitions were last known to be its own. */
  private losses = 0;
  /** Returns of the connection, and how many there were when its readers were opened. */
  private reconnects = 0;
  private openedAt = 0;
  private stopping = false;
  /** Members that are to be taken out at the next turn. */
  private ended: readonly string[] = [];

  constructor(private readonly parts: WorkerParts) {
    const { id, catalog, bus, limits, log } = parts;
    this.ownership = new Ownership({ id, catalog, bus, readBufferBytes: limits.readBufferBytes, log });
    this.schedule = new Schedule(limits);
    this.segments = new SegmentView(parts.catalog);
    this.duplicates = new DuplicateView(parts.duplicates);
    this.persons = new PersonCache(parts.limits.knownPersonsMax);
    this.definitions = new DefinitionScan(10 * parts.limits.definitionsMax);
    this.erasures = new ErasureView(parts.catalog, this.persons);
    this.layouts = new FlushLayouts(parts.catalog, () => parts.world.steadyMs());
  }

  /** Partitions that it works on now. */
  get partitions(): number[] {
    return this.ownership.numbers;
  }

  /** The generation that it works on; null before the first look and while there is none. */
  get currentGeneration(): GenerationInUse | null {
    return this.generation;
  }

  /** Runs until `stop`; a failure that may pass is logged and tried again. Throws Fenced, HangingEvent. */
  async run(): Promise<void> {
    const { bus, id, limits, log } = this.parts;
    const onChange = () => {
      this.ownership.isStale = true;
    };
    const unlisten = bus.onConnection((connected) => {
      if (connected) this.reconnects++;
    });
    this.membership = await bus.join({ memberId: id, ttlMs: limits.leaseTtlMs, onChange });
    while (!this.stopping) {
      try {
        if (!(await this.turn())) await Promise.race([this.parts.world.sleep(IDLE_MS), this.flights.one()]);
      } catch (error) {
        if (error instanceof HangingEvent) throw error;
        // Nothing was adopted, so that the same frames can be tried again; a refusal means that some are others' now.
        if (error instanceof Fenced) {
          await this.flights.all();
          throw error;
        }
        if (error instanceof CommitRefused) await this.giveUpLost(error.message);
        else log(`flush failed, trying again: ${describeError(error)}`);
        await this.parts.world.sleep(RETRY_MS);
      }
    }
    await this.flights.all();
    unlisten();
    await this.ownership.letGo(this.generation);
    // Without a broker the others cannot be told; then the lease runs out.
    await this.membership.leave().catch((error) => log(`left without saying so: ${describeError(error)}`));
  }

  /** Members whose processes are known to have ended: what they owned need not wait for their leases. */
  expel(members: readonly string[]): void {
    this.ended = [...this.ended, ...members];
  }

  /** Ends after the flushes in hand. */
  stop(): void {
    this.stopping = true;
  }

  /** One round; true when it did something, so that the next should follow at once. Throws what a flush has failed with. */
  private async turn(): Promise<boolean> {
    const failure = this.flights.takeFailure();
    if (failure !== null) throw failure.error;
    await this.checkLease();
    await this.takeOutEnded();
    await this.checkConnection();
    await this.followCatalog();
    if (this.generation === null) return false;
    if (this.ownership.isStale) {
      await this.flights.all();
      await this.ownership.takeShare(this.generation, this.membership!.members());
    }
    const { world } = this.parts;
    await this.makeRoom(this.generation);
    const takes = this.schedule.take({
      partitions: this.ownership.partitions,
      isBusy: (partition) => this.flights.isBusy(partition),
      nowMs: world.steadyMs(),
      isFull: this.parts.duplicates.isFull,
    });
    const first = takes[0];
    if (first === undefined) {
      await this.ownership.forgetAttempts(this.generation);
      return false;
    }
    const tools = this.tools(this.generation);
    if (first.from.attempts >= CAREFUL_FROM_ATTEMPTS) {
      // Alone, so that nothing else dies with it.
      await this.flights.all();
      await carefulFlush(tools, first);
    } else this.flights.start(new Set(takes.map(({ from }) => from.partition)), () => this.flush(tools, takes));
    if (this.flights.isFull) await this.flights.one();
    return true;
  }

  private async flush(tools: FlushTools, takes: readonly Take[]): Promise<void> {
    const { world } = this.parts;
    const startedAtMs = world.steadyMs();
    await flush(tools, takes);
    this.schedule.done(takes, world.steadyMs() - startedAtMs);
  }

  private tools({ generation, partitions }: GenerationInUse): FlushTools {
    const { parts, persons, definitions, erasures, layouts } = this;
    const now = this.now({ generation });
    const duplicates = {
      mark: (events: readonly CheckedEvent[]) => this.duplicates.mark(events, now),
      adopt: (segment: SegmentFacts) => this.duplicates.adopt(segment),
    };
    const { openedAt } = this;
    const isCurrent = () => this.reconnects === openedAt;
    const own = { owner: parts.id, generation, partitions, persons, definitions, erasures, layouts };
    return { ...parts, ...own, duplicates, isCurrent };
  }

  private now({ generation }: { generation: number }) {
    return {
      segments: () => this.segments.refresh(),
      owned: { generation, partitions: new Set(this.ownership.numbers) },
      erasures: () => this.erasures.all,
    };
  }

  /** While keys fill the memory history waits, and without a flush no other step would see the compaction. */
  private async makeRoom(generation: { generation: number }): Promise<void> {
    const nowMs = this.parts.world.steadyMs();
    if (!this.parts.duplicates.isFull || nowMs - this.roomMadeAtMs < MAKE_ROOM_MS) return;
    this.roomMadeAtMs = nowMs;
    await this.duplicates.refresh(this.now(generation));
  }

  /** A failure is told, and the leases run out by themselves. */
  private async takeOutEnded(): Promise<void> {
    const { ended } = this;
    if (ended.length === 0) return;
    this.ended = [];
    await this.membership!.expel(ended);
  }

  /** After a standstill: is what it owns still its own? */
  private async checkLease(): Promise<void> {
    const { losses } = this.membership!;
    if (losses === this.losses) return;
    const lost = await this.ownership.findLost();
    if (lost !== null) throw new Fenced(`partition ${lost}`);
    this.losses = losses;
  }

  /**
   * After a reconnect the streams may have been put back: frames that were read before may be gone, and others may come
   * under their sequences. So all is read again, from what is committed.
   */
  private async checkConnection(): Promise<void> {
    if (this.openedAt === this.reconnects) return;
    const { reconnects } = this;
    await this.flights.all();
    await this.ownership.letGo(this.generation);
    this.openedAt = reconnects;
  }

  /** Follows what others have written down: another generation, a claim to what this worker takes for its own. */
  private async followCatalog(): Promise<void> {
    const nowMs = this.parts.world.steadyMs();
    if (nowMs - this.catalogCheckedAtMs < CATALOG_CHECK_MS) return;
    this.catalogCheckedAtMs = nowMs;
    const current = await this.parts.catalog.currentGeneration();
    if (current?.generation !== this.generation?.generation) {
      await this.flights.all();
      this.ownership.forgetAll();
      this.generation = current;
      return;
    }
    // A worker that joined at the same time and did not know of this one has claimed it, and may have handed it over since. Where no
    // event comes, no commit would tell.
    const lost = await this.ownership.findLost();
    if (lost !== null) await this.giveUpLost(`another worker has claimed ${lost}`);
  }

  /** Another worker owns something that this one owned: all is let go, and its share is taken again. Throws Fenced if a standstill was the reason. */
  private async giveUpLost(reason: string): Promise<void> {
    await this.flights.all();
    if (this.membership!.losses > this.losses) throw new Fenced(reason);
    this.parts.log(`lost a partition: ${reason}`);
    await this.ownership.letGo(this.generation);
  }
}
