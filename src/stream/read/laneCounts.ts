import { type DropCause, type Lane, RetryableError, type TeamCounts } from "../../types/mod.ts";
import { COUNTS_HEADER, decodeCounts } from "../frame/counts.ts";
import type { Link } from "../link/link.ts";
import { laneSubjects, partitionOfSubject, streamName } from "../link/streams.ts";
import { type Delivery, Feed } from "./feed.ts";
import { Series } from "./series.ts";

const PULL_MESSAGES = 500;

type Kind = "events" | DropCause;

/** The waiting events of a project. */
export interface Queued extends TeamCounts {
  /** Stored time of its oldest frame that waits, epoch milliseconds. */
  oldestStoredAtMs: number;
}

/** The counts of one lane, by partition, project and kind. */
export class LaneCounts {
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
      // What it passes over is missing from the counts; they decide nothing alone.
      isConfirmed: false,
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

  oldestStoredAtMs(partition: number, position: number): number | null {
    return this.#partitions.get(partition)?.oldestStoredAtMs(position) ?? null;
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
    const counts = this.#partitions.getOrInsertComputed(partition, () => new PartitionCounts());
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
    const kinds = this.#teams.getOrInsertComputed(teamId, () => new Map<Kind, Series>());
    const put = (kind: Kind, count: number): void => {
      if (count === 0) return;
      kinds.getOrInsertComputed(kind, () => new Series()).add(sequence, storedAtMs, count);
    };
    put("events", events);
    for (const cause of Object.keys(dropped) as DropCause[]) put(cause, dropped[cause] ?? 0);
  }

  addAbove(position: number, byTeam: Map<number, Queued>): void {
    for (const [teamId, kinds] of this.#teams) {
      for (const [kind, series] of kinds) {
        const found = series.above(position);
        if (found === null) continue;
        const { oldestStoredAtMs } = found;
        const queued = byTeam.getOrInsertComputed(teamId, () => ({ teamId, events: 0, dropped: {}, oldestStoredAtMs }));
        if (kind === "events") queued.events += found.count;
        else queued.dropped[kind] = (queued.dropped[kind] ?? 0) + found.count;
        queued.oldestStoredAtMs = Math.min(queued.oldestStoredAtMs, oldestStoredAtMs);
      }
    }
  }

  oldestStoredAtMs(position: number): number | null {
    const all = [...this.#teams.values()].flatMap((kinds) => [...kinds.values()].map((s) => s.above(position)));
    const times = all.flatMap((found) => (found === null ? [] : [found.oldestStoredAtMs]));
    return times.length === 0 ? null : Math.min(...times);
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
