import { EVENT_LANES, type Lane } from "../../types/mod.ts";
import { type Link, unavailable } from "../link/link.ts";
import { streamFacts, streamName } from "../link/streams.ts";
import { LaneCounts, type Queued } from "./laneCounts.ts";

const CATCH_UP_TIMEOUT_MS = 5_000;
const CATCH_UP_LOOK_MS = 250;
/** How often counts of purged frames are forgotten. */
const FORGET_MS = 10_000;

/**
 * Sums up the frames that are stored and not settled. For an exact answer: `catchUp`, then read positions and settled
 * counts in one transaction, then `above` with those positions.
 */
export interface QueueReader {
  /** Waits until everything stored before the call has been seen. Throws RetryableError `broker_unavailable`. */
  catchUp(): Promise<void>;
  /**
   * Counts by project of the events in frames above the positions given. Throws RetryableError `positions_too_old` when frames above
   * a position have been purged meanwhile, and forgotten here: read the positions again.
   */
  above(positionOf: (lane: Lane, partition: number) => number): Queued[];
  /** The same lane by lane, in no order; on the lane `identity` the events are those that merge. Throws as `above`. */
  lanesAbove(positionOf: (lane: Lane, partition: number) => number): Map<Lane, Queued[]>;
  /**
   * When the oldest frame above the positions given was stored that has something of a project, merges included; null where there is
   * none. Epoch milliseconds. Throws as `above`.
   */
  oldestOf(teamId: number, positionOf: (lane: Lane, partition: number) => number): number | null;
  /** When the oldest frame of a partition above a position was stored, epoch milliseconds; null where there is none. */
  oldestStoredAtMs(lane: Lane, partition: number, position: number): number | null;
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

  constructor(link: Link, o: { generation: number; lanes: readonly Lane[]; fromSequence: (lane: Lane) => number }) {
    this.#link = link;
    this.#generation = o.generation;
    this.#unlisten = link.onClose(() => this.close());
    for (const lane of o.lanes) this.#lanes.set(lane, new LaneCounts(link, lane, o.generation, o.fromSequence(lane)));
  }

  async catchUp(): Promise<void> {
    await Promise.all([...this.#lanes].map(([lane, counts]) => this.#catchUpLane(lane, counts)));
  }

  above(positionOf: (lane: Lane, partition: number) => number): Queued[] {
    const byTeam = new Map<number, Queued>();
    for (const lane of EVENT_LANES) this.#lanes.get(lane)?.addAbove((partition) => positionOf(lane, partition), byTeam);
    return [...byTeam.values()].sort((a, b) => a.teamId - b.teamId);
  }

  lanesAbove(positionOf: (lane: Lane, partition: number) => number): Map<Lane, Queued[]> {
    const lanes = new Map<Lane, Queued[]>();
    for (const [lane, counts] of this.#lanes) {
      const byTeam = new Map<number, Queued>();
      counts.addAbove((partition) => positionOf(lane, partition), byTeam);
      lanes.set(lane, [...byTeam.values()]);
    }
    return lanes;
  }

  oldestOf(teamId: number, positionOf: (lane: Lane, partition: number) => number): number | null {
    const byTeam = new Map<number, Queued>();
    for (const [lane, counts] of this.#lanes) counts.addAbove((partition) => positionOf(lane, partition), byTeam);
    return byTeam.get(teamId)?.oldestStoredAtMs ?? null;
  }

  oldestStoredAtMs(lane: Lane, partition: number, position: number): number | null {
    return this.#lanes.get(lane)?.oldestStoredAtMs(partition, position) ?? null;
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
      // Frames purged meanwhile are settled; they will never be seen.
      if (counts.lastSequence >= target || facts.firstSequence > target) return;
      await counts.reached(target, CATCH_UP_LOOK_MS);
      if (counts.lastSequence >= target) return;
    }
    throw unavailable(`the queue of lane ${lane} could not be read in ${CATCH_UP_TIMEOUT_MS} ms`);
  }
}
