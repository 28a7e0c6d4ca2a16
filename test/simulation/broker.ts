import type { Frame } from "../../src/stream/mod.ts";
import { type AcceptedEvent, type Lane, RetryableError, type TeamCounts, TerminalError } from "../../src/types/mod.ts";
import type { Universe } from "./universe.ts";

/** What a front sends. */
export interface OutgoingFrame {
  id: string;
  lane: Lane;
  generation: number;
  partition: number;
  counts: TeamCounts[];
  events: AcceptedEvent[];
  isCorrupt: boolean;
}

/** A frame that the broker has stored. */
export interface StoredFrame extends OutgoingFrame {
  sequence: number;
  storedAtMs: number;
  /** The broker has forgotten it before it was settled. */
  isLost: boolean;
}

export interface Stream {
  lane: Lane;
  generation: number;
  created: string;
  frames: StoredFrame[];
  firstSequence: number;
  lastSequence: number;
  /** It takes nothing in. */
  isSealed: boolean;
  /** Sequences by frame id, with the time after which the id is forgotten. */
  ids: Map<string, { sequence: number; partition: number; untilMs: number }>;
}

/** What listeners hear: how the broker is, or a frame that it has just stored. */
export type Change = "up" | "down" | StoredFrame;

const ID_WINDOW_MS = 3_000;
const REMOVED_AT_ONCE = 4;

/** Streams as JetStream keeps them, with a clock of its own. What it has ever stored stays on record for the model. */
export class Broker {
  streams = new Map<string, Stream>();
  /** Everything that was ever accepted, in order. */
  readonly accepted: StoredFrame[] = [];
  isUp = true;
  clockAheadMs = 0;
  /** It is told no ids (protocol rule 3). */
  private readonly isCluster: boolean;
  private made = 0;
  private backup: Map<string, Stream> | null = null;
  private readonly listeners = new Set<(change: Change) => void>();

  constructor(private readonly universe: Universe) {
    this.isCluster = universe.seed % 2 === 1;
  }

  listen(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private tell(change: Change): void {
    for (const listener of [...this.listeners]) listener(change);
  }

  stream(lane: Lane, generation: number): Stream | undefined {
    return this.streams.get(`${lane}/${generation}`);
  }

  ensureStream(lane: Lane, generation: number): Stream {
    const key = `${lane}/${generation}`;
    let stream = this.streams.get(key);
    if (stream === undefined) {
      stream = { lane, generation, ...this.emptied() };
      this.streams.set(key, stream);
    }
    return stream;
  }

  /** What a stream that has just been made holds. */
  private emptied(): Omit<Stream, "lane" | "generation"> {
    const created = `made ${this.made++}`;
    return { created, frames: [], firstSequence: 1, lastSequence: 0, isSealed: false, ids: new Map() };
  }

  /** Null: there is no such stream, nobody answers. */
  store(frame: OutgoingFrame): { sequence: number; isDuplicate: boolean } | "refused" | null {
    const stream = this.stream(frame.lane, frame.generation);
    if (!this.isUp || stream === undefined) return null;
    const { nowMs } = this.universe.scheduler;
    const known = this.isCluster ? undefined : stream.ids.get(frame.id);
    if (known !== undefined && known.untilMs >= nowMs) return { sequence: known.sequence, isDuplicate: true };
    if (stream.isSealed) return "refused";
    const sequence = ++stream.lastSequence;
    const events = frame.events.map((event) => ({ ...event }));
    const stored = { ...frame, events, sequence, storedAtMs: nowMs + this.clockAheadMs, isLost: false };
    stream.frames.push(stored);
    stream.ids.set(frame.id, { sequence, partition: frame.partition, untilMs: nowMs + ID_WINDOW_MS });
    this.accepted.push(stored);
    this.tell(stored);
    return { sequence, isDuplicate: false };
  }

  sealStream(lane: Lane, generation: number): void {
    const stream = this.stream(lane, generation);
    if (stream !== undefined) stream.isSealed = true;
  }

  deleteStream(lane: Lane, generation: number): void {
    this.streams.delete(`${lane}/${generation}`);
  }

  /** A cluster removes some, and keeps the newest. False: there is more. */
  purge(lane: Lane, generation: number, belowSequence: number): boolean {
    const stream = this.stream(lane, generation);
    if (stream === undefined) return true;
    const all = this.isCluster ? Math.min(belowSequence, stream.lastSequence) : belowSequence;
    const below = this.isCluster ? Math.min(all, stream.firstSequence + REMOVED_AT_ONCE) : all;
    stream.frames = stream.frames.filter(({ sequence }) => sequence >= below);
    stream.firstSequence = Math.max(stream.firstSequence, Math.min(below, stream.lastSequence + 1));
    return below === all;
  }

  kill(): void {
    this.isUp = false;
    this.tell("down");
  }

  start(): void {
    this.isUp = true;
    this.tell("up");
  }

  /** A copy of its files. */
  backUp(): void {
    this.backup = new Map([...this.streams].map(([key, stream]) => [key, copyOf(stream)]));
  }

  /** The files of the copy take the place of its own; it must be down. What is forgotten thereby is lost. */
  putBack(): void {
    const back = this.backup!;
    for (const [key, stream] of this.streams) this.lose(stream, back.get(key)?.lastSequence ?? 0);
    this.streams = new Map([...back].map(([key, stream]) => [key, copyOf(stream)]));
    const { store } = this.universe;
    const current = store.rows<{ n: number }>("select max(generation) as n from generations")[0]!.n;
    for (const [key, stream] of this.streams) {
      // What is settled is not needed, and what was purged since comes back.
      if (stream.generation < current) this.streams.delete(key);
      // After a stream was made anew, a copy of the old one brings back what was lost.
      else for (const frame of stream.frames) frame.isLost = false;
    }
  }

  /** The streams are made again, empty. */
  makeAnew(): void {
    for (const stream of this.streams.values()) {
      this.lose(stream, 0);
      Object.assign(stream, this.emptied());
    }
  }

  private lose(stream: Stream, above: number): void {
    const { observer } = this.universe;
    for (const frame of this.accepted) {
      if (frame.lane !== stream.lane || frame.generation !== stream.generation || frame.sequence <= above) continue;
      if (!observer.isSettled(frame)) observer.onLost(frame);
    }
  }
}

function copyOf(stream: Stream): Stream {
  return { ...stream, frames: [...stream.frames], ids: new Map(stream.ids) };
}

/** A frame as readers get it. */
export function frameOf(stored: StoredFrame): Frame {
  const { lane, partition, sequence, storedAtMs, counts, events, isCorrupt } = stored;
  return {
    lane,
    partition,
    sequence,
    storedAtMs,
    sizeBytes: 100,
    rawBytes: 1,
    counts,
    warnings: [],
    decode: () => {
      if (isCorrupt) throw new TerminalError("corrupt_frame", "The frame cannot be read");
      return events.map((event) => ({ ...event }));
    },
  };
}

export function away(): RetryableError {
  return new RetryableError("broker_unavailable", "the broker is away");
}
