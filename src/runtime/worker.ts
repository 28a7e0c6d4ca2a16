import { type Catalog, CommitRefused, type DuplicateIndex, type SegmentWriter } from "../lake/mod.ts";
import type { Bus, Membership } from "../stream/mod.ts";
import { describeError } from "../types/mod.ts";
import type { Actor } from "./actor.ts";
import { carefulFlush, HangingEvent } from "./careful.ts";
import { type FlushTools, flush } from "./flush.ts";
import { CAREFUL_FROM_ATTEMPTS, OwnedPartition } from "./ownedPartition.ts";
import { Schedule, type ScheduleLimits } from "./schedule.ts";
import { SegmentView } from "./segmentView.ts";

export interface WorkerParts {
  id: string;
  catalog: Catalog;
  bus: Bus;
  writer: SegmentWriter;
  duplicates: DuplicateIndex;
  actors: readonly Actor[];
  limits: ScheduleLimits & { leaseTtlMs: number; readBufferBytes: number };
  log(message: string): void;
}

/** How often an idle worker looks whether something is due. */
const IDLE_MS = 20;
/** How often it asks the catalog for the generation in use. */
const GENERATION_CHECK_MS = 1_000;
const RETRY_MS = 500;

/**
 * Owns partitions and works them off: reads in order from the committed position, flushes, commits. Who owns what
 * follows from the sorted list of live members; that two workers differ about the list for a moment is harmless,
 * because only the one with the newest epoch can commit.
 */
export class Worker {
  private readonly owned = new Map<number, OwnedPartition>();
  private readonly schedule: Schedule;
  private readonly segments: SegmentView;
  private generation: { generation: number; partitions: number } | null = null;
  private generationCheckedAtMs = 0;
  private membership: Membership | null = null;
  private shareIsStale = true;
  private stopping = false;

  constructor(private readonly parts: WorkerParts) {
    this.schedule = new Schedule(parts.limits);
    this.segments = new SegmentView(parts.catalog);
  }

  /** Runs until `stop`; a failure that may pass is logged and tried again. */
  async run(): Promise<void> {
    const { bus, id, limits, log } = this.parts;
    const onChange = () => {
      this.shareIsStale = true;
    };
    this.membership = await bus.join({ memberId: id, ttlMs: limits.leaseTtlMs, onChange });
    while (!this.stopping) {
      try {
        if (!(await this.turn())) await Bun.sleep(IDLE_MS);
      } catch (error) {
        if (error instanceof HangingEvent) throw error;
        // Nothing was adopted, so that the same frames can be tried again; a refusal means that some are others' now.
        if (error instanceof CommitRefused) {
          log(`lost a partition: ${error.message}`);
          this.releaseAll();
        } else log(`flush failed, trying again: ${describeError(error)}`);
        await Bun.sleep(RETRY_MS);
      }
    }
    this.releaseAll();
    await this.membership.leave();
  }

  /** Ends after the flush in hand. */
  stop(): void {
    this.stopping = true;
  }

  /** One round; true when it did something, so that the next should follow at once. */
  private async turn(): Promise<boolean> {
    await this.followGeneration();
    if (this.generation === null) return false;
    if (this.shareIsStale) await this.takeShare();
    const takes = this.schedule.take([...this.owned.values()], Date.now(), this.parts.duplicates.isFull);
    const first = takes[0];
    if (first === undefined) {
      await this.forgetAttempts(this.generation.generation);
      return false;
    }

    const tools = this.tools(this.generation.generation);
    const isCareful = first.from.attempts >= CAREFUL_FROM_ATTEMPTS;
    await (isCareful ? carefulFlush(tools, first) : flush(tools, takes));
    return true;
  }

  private tools(generation: number): FlushTools {
    const { id, catalog, writer, duplicates, actors, log } = this.parts;
    const partitions = new Set(this.owned.keys());
    const refreshDuplicates = async () => duplicates.sync(await this.segments.refresh(), { generation, partitions });
    return { owner: id, generation, catalog, writer, duplicates, refreshDuplicates, actors, log };
  }

  private async followGeneration(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - this.generationCheckedAtMs < GENERATION_CHECK_MS) return;
    this.generationCheckedAtMs = nowMs;
    const current = await this.parts.catalog.currentGeneration();
    if (current?.generation === this.generation?.generation) return;
    this.releaseAll();
    this.generation = current;
  }

  /** Lets go of what belongs to others now and claims what is newly its own. */
  private async takeShare(): Promise<void> {
    this.shareIsStale = false;
    const { generation, partitions } = this.generation!;
    const members = this.membership!.members();
    const share = shareOf(this.parts.id, members, partitions);
    for (const [partition, owned] of this.owned) {
      if (share.has(partition)) continue;
      owned.close();
      this.owned.delete(partition);
    }
    const missing = [...share].filter((partition) => !this.owned.has(partition));
    if (missing.length === 0) return;
    const { catalog, bus, limits, id, log } = this.parts;
    for (const claim of await catalog.claim({ owner: id, generation, partitions: missing })) {
      const owned = new OwnedPartition(claim, (lane, partition, fromSequence) =>
        bus.reader({
          lane,
          generation,
          partition,
          fromSequence,
          maxBufferBytes: limits.readBufferBytes,
        }),
      );
      this.owned.set(claim.epoch.partition, owned);
    }
    log(`owns partitions ${[...this.owned.keys()].sort((a, b) => a - b).join(" ")} of generation ${generation}`);
  }

  /** Lanes that turn out to be empty did not kill anybody: a restart at rest must not lead to careful mode. */
  private async forgetAttempts(generation: number): Promise<void> {
    const idle = [...this.owned.values()]
      .flatMap(({ lanes }) => lanes)
      .filter(({ attempts, reader }) => attempts > 0 && reader.caughtUp && reader.buffered.length === 0);
    if (idle.length === 0) return;
    await this.parts.catalog.clearAttempts({ generation, lanes: idle });
    for (const lane of idle) lane.attempts = 0;
  }

  private releaseAll(): void {
    for (const owned of this.owned.values()) owned.close();
    this.owned.clear();
    this.shareIsStale = true;
  }
}

/** The partitions of one member: every n-th, by its place in the sorted list. Empty when it is not in the list. */
export function shareOf(memberId: string, members: readonly string[], partitions: number): Set<number> {
  const place = members.indexOf(memberId);
  const share = new Set<number>();
  if (place === -1) return share;
  for (let partition = place; partition < partitions; partition += members.length) share.add(partition);
  return share;
}
