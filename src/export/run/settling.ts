import type { Catalog } from "../../lake/mod.ts";
import type { Bus, QueueReader } from "../../stream/mod.ts";
import { LANES, type Lane } from "../../types/mod.ts";

/** A broker elsewhere has a clock of its own, by which it says when a frame was stored: it may be so much behind this machine's. */
const CLOCKS_DIFFER_MS = 2_000;
/** The same clock; a frame has its time a moment before the stream counts it. */
const SAME_CLOCK_MS = 200;
/** A queue that nobody has asked is closed after this. */
const IDLE_MS = 60_000;

interface SettlingParts {
  bus: Pick<Bus, "queue">;
  catalog: Pick<Catalog, "currentGeneration" | "committedPositions">;
  /** Whether the broker runs on this machine. */
  isOwnBroker: boolean;
  now(): number;
}

/**
 * Tells whether the events that were accepted before a moment are all in the lake, with their merges. `created_at` of an event is the
 * broker's time of its frame, which is what the queue tells of frames that wait. An event that is sent in again (a dead letter, a
 * message of an actor) is a new frame with a new time, so it belongs to a later interval. Of generations only the last can hold
 * frames that wait: the next one is opened when all before it are settled.
 */
export class Settling {
  private open: { generation: number; queue: QueueReader } | null = null;
  private askedAtMs = 0;

  constructor(private readonly parts: SettlingParts) {}

  /** What has to be waited for, as a sentence for the run's log; null where nothing has. */
  async waitsFor(teamId: number, beforeMs: number): Promise<string | null> {
    const { catalog, now, isOwnBroker } = this.parts;
    if (now() < beforeMs + (isOwnBroker ? SAME_CLOCK_MS : CLOCKS_DIFFER_MS))
      return "Waiting for the end of the interval.";
    const generation = await catalog.currentGeneration();
    if (generation === null) return null;
    if (generation.state !== "open") return "Waiting for the event streams, which are being made anew.";
    const queue = await this.queueOf(generation.generation);
    await queue.catchUp();
    const positions = new Map<string, number>();
    for (const { lane, partition, position } of await catalog.committedPositions(generation.generation)) {
      positions.set(`${lane}/${partition}`, position);
    }
    const oldestMs = queue.oldestOf(teamId, (lane, partition) => positions.get(`${lane}/${partition}`) ?? 0);
    if (oldestMs === null || oldestMs >= beforeMs) return null;
    return `Waiting for events that were accepted before the end of the interval and are still queued, the oldest since ${new Date(oldestMs).toISOString()}.`;
  }

  /** Closes a queue that nobody asks. */
  rest(): void {
    if (this.open !== null && this.parts.now() - this.askedAtMs > IDLE_MS) this.close();
  }

  close(): void {
    this.open?.queue.close();
    this.open = null;
  }

  private async queueOf(generation: number): Promise<QueueReader> {
    this.askedAtMs = this.parts.now();
    if (this.open?.generation === generation) return this.open.queue;
    this.close();
    const positions = await this.parts.catalog.committedPositions(generation);
    const fromSequence = (lane: Lane) =>
      Math.min(...positions.filter((position) => position.lane === lane).map(({ position }) => position));
    const queue = await this.parts.bus.queue({ generation, lanes: LANES, fromSequence });
    this.open = { generation, queue };
    return queue;
  }
}
