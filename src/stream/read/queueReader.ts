import { type DropCause, LANES, type Lane, RetryableError, type TeamCounts } from "../../types/mod.ts";
import { COUNTS_HEADER, decodeCounts } from "../counts.ts";
import { type Link, unavailable } from "../link.ts";
import { laneSubjects, partitionOfSubject, streamName } from "../names.ts";
import { streamFacts } from "../streams.ts";
import { type Delivery, Feed } from "./feed.ts";
import { Series } from "./series.ts";

const PULL_MESSAGES = 500;
const CATCH_UP_TIMEOUT_MS = 5_000;
const CATCH_UP_LOOK_MS = 250;
/** What was purged from the stream is forgotten so often. */
const FORGET_MS = 10_000;

/** What a project has waiting. */
export interface Queued extends TeamCounts {
  /** Stored time of its oldest frame that waits, epoch milliseconds. */
  oldestStoredAtMs: number;
}

/**
 * Sums up the frames that are stored and not settled. For an exact answer: `catchUp`, then read positions and settled
 * counts in one transaction, then `above` with those positions.
 */
export interface QueueReader {
  /** Waits until everything stored before the call has been seen. Throws RetryableError `broker_unavailable`. */
  catchUp(): Promise<void>;
  /**
   * Counts by project, of frames above the positions given. Throws RetryableError `positions_too_old` when frames above
   * a position have been purged meanwhile, and forgotten here: read the positions again.
   */
  above(positionOf: (lane: Lane, partition: number) => number): Queued[];
  /** Sequence of the lowest frame of a lane above the positions given; one beyond the last seen when there is none. */
  lowestUnsettled(lane: Lane, positionOf: (partition: number) => number): number;
  close(): void;
}

export class LaneQueueReader implements QueueReader {
  readonly #link: Link;
  readonly #generation: number;
  readonly #lanes = new Map<Lane, LaneCounts>();
  readonly #forgetTimer = setInterval(() => this.#forget(), FORGET_MS);
  readonly #unlisten: () => void;

  constructor(link: Link, o: { generation: number; lanes: readonly Lane[]; fromSequence: Record<Lane, number> }) {
    this.#link = link;
    this.#generation = o.generation;
    this.#unlisten = link.onClose(() => this.close());
    for (const lane of o.lanes) this.#lanes.set(lane, new LaneCounts(link, lane, o.generation, o.fromSequence[lane]));
  }

  async catchUp(): Promise<void> {
    await Promise.all([...this.#lanes].map(([lane, counts]) => this.#catchUpLane(lane, counts)));
  }

  above(positionOf: (lane: Lane, partition: number) => number): Queued[] {
    const byTeam = new Map<number, Queued>();
    for (const lane of LANES) this.#lanes.get(lane)?.addAbove((partition) => positionOf(lane, partition), byTeam);
    return [...byTeam.values()].sort((a, b) => a.teamId - b.teamId);
  }

  lowestUnsettled(lane: Lane, positionOf: (partition: number) => number): number {
    return this.#lanes.get(lane)?.lowestAbove(positionOf) ?? 0;
  }

  close(): void {
    this.#unlisten();
    clearInterval(this.#forgetTimer);
    for (const counts of this.#lanes.values()) counts.close();
  }

  /** Purged frames are settled: every position is at or above them. */
  async #forget(): Promise<void> {
    for (const [lane, counts] of this.#lanes) {
      if (!this.#link.isConnected || !counts.hasGrown()) continue;
      const facts = await streamFacts(this.#link, lane, this.#generation).catch(() => null);
      if (facts !== null) counts.forget(facts.firstSequence - 1);
    }
  }

  async #catchUpLane(lane: Lane, counts: LaneCounts): Promise<void> {
    const deadlineMs = performance.now() + CATCH_UP_TIMEOUT_MS;
    let target: number | null = null;
    while (performance.now() < deadlineMs) {
      const facts = await streamFacts(this.#link, lane, this.#generation);
      if (facts === null) throw unavailable(`stream ${streamName(lane, this.#generation)} does not exist`);
      target ??= facts.lastSequence;
      // What was purged meanwhile is settled; it will never be seen.
      if (counts.lastSequence >= target || facts.firstSequence > target) return;
      await counts.reached(target, CATCH_UP_LOOK_MS);
      if (counts.lastSequence >= target) return;
    }
    throw unavailable(`the queue of lane ${lane} could not be read in ${CATCH_UP_TIMEOUT_MS} ms`);
  }
}

type Kind = "events" | DropCause;

/** The counts of one lane, by partition, project and kind. */
class LaneCounts {
  readonly #lane: Lane;
  readonly #feed: Feed;
  readonly #partitions = new Map<number, PartitionCounts>();
  #lookedAtSequence = 0;
  readonly #waiting = new Set<{ sequence: number; resolve: () => void }>();

  constructor(link: Link, lane: Lane, generation: number, fromSequence: number) {
    this.#lane = lane;
    this.#feed = new Feed({
      link,
      stream: streamName(lane, generation),
      subject: laneSubjects(lane, generation),
      fromSequence: fromSequence + 1,
      headersOnly: true,
      room: () => PULL_MESSAGES,
      onMessage: (delivery) => this.#onMessage(delivery),
    });
  }

  get lastSequence(): number {
    return this.#feed.lastSequence;
  }

  /** Resolves when a sequence has been seen, or after the time given. */
  async reached(sequence: number, timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { sequence, resolve };
    this.#waiting.add(waiting);
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(waiting);
  }

  addAbove(positionOf: (partition: number) => number, byTeam: Map<number, Queued>): void {
    for (const [partition, counts] of this.#partitions) {
      const position = positionOf(partition);
      if (position < counts.forgottenThrough) {
        throw new RetryableError(
          "positions_too_old",
          `Position ${position} of ${this.#lane} ${partition} is below ${counts.forgottenThrough}, which was purged`,
        );
      }
      counts.addAbove(position, byTeam);
    }
  }

  lowestAbove(positionOf: (partition: number) => number): number {
    let lowest = this.#feed.lastSequence + 1;
    for (const [partition, counts] of this.#partitions) {
      lowest = Math.min(lowest, counts.nextAbove(positionOf(partition)) ?? lowest);
    }
    return lowest;
  }

  /** Whether messages came since the last call. */
  hasGrown(): boolean {
    const grown = this.#feed.lastSequence > this.#lookedAtSequence;
    this.#lookedAtSequence = this.#feed.lastSequence;
    return grown;
  }

  forget(throughSequence: number): void {
    for (const counts of this.#partitions.values()) counts.forget(throughSequence);
  }

  close(): void {
    this.#feed.close();
  }

  #onMessage({ message, sequence, storedAtMs }: Delivery): void {
    const partition = partitionOfSubject(message.subject);
    let counts = this.#partitions.get(partition);
    if (counts === undefined) {
      counts = new PartitionCounts();
      this.#partitions.set(partition, counts);
    }
    for (const entry of decodeCounts(message.headers?.get(COUNTS_HEADER) ?? "") ?? []) {
      counts.add(entry, sequence, storedAtMs);
    }
    for (const waiting of this.#waiting) if (sequence >= waiting.sequence) waiting.resolve();
  }
}

class PartitionCounts {
  readonly #teams = new Map<number, Map<Kind, Series>>();
  /** Sequence of the last frame that was forgotten. */
  forgottenThrough = 0;

  add({ teamId, events, dropped }: TeamCounts, sequence: number, storedAtMs: number): void {
    let kinds = this.#teams.get(teamId);
    if (kinds === undefined) {
      kinds = new Map();
      this.#teams.set(teamId, kinds);
    }
    const put = (kind: Kind, count: number): void => {
      if (count === 0) return;
      let series = kinds.get(kind);
      if (series === undefined) {
        series = new Series();
        kinds.set(kind, series);
      }
      series.add(sequence, storedAtMs, count);
    };
    put("events", events);
    for (const cause of Object.keys(dropped) as DropCause[]) put(cause, dropped[cause] ?? 0);
  }

  addAbove(position: number, byTeam: Map<number, Queued>): void {
    for (const [teamId, kinds] of this.#teams) {
      for (const [kind, series] of kinds) {
        const found = series.above(position);
        if (found === null) continue;
        let queued = byTeam.get(teamId);
        if (queued === undefined) {
          queued = { teamId, events: 0, dropped: {}, oldestStoredAtMs: found.oldestStoredAtMs };
          byTeam.set(teamId, queued);
        }
        if (kind === "events") queued.events += found.count;
        else queued.dropped[kind] = (queued.dropped[kind] ?? 0) + found.count;
        queued.oldestStoredAtMs = Math.min(queued.oldestStoredAtMs, found.oldestStoredAtMs);
      }
    }
  }

  nextAbove(position: number): number | null {
    const next = [...this.#teams.values()].flatMap((kinds) => [...kinds.values()].map((s) => s.nextAbove(position)));
    return next.reduce((lowest, n) => (n === null ? lowest : lowest === null ? n : Math.min(lowest, n)), null);
  }

  forget(throughSequence: number): void {
    for (const [teamId, kinds] of this.#teams) {
      for (const [kind, series] of kinds) {
        this.forgottenThrough = Math.max(this.forgottenThrough, series.forget(throughSequence));
        if (series.isEmpty) kinds.delete(kind);
      }
      if (kinds.size === 0) this.#teams.delete(teamId);
    }
  }
}
