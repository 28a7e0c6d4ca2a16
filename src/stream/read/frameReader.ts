import type { Msg } from "@nats-io/transport-node";
import { type AcceptedEvent, type Lane, type TeamCounts, type TeamWarning, TerminalError } from "../../types/mod.ts";
import { decodeFrame, FRAME_RAW_MAX_BYTES, unpackedBytes } from "../frame/codec.ts";
import { COUNTS_HEADER, decodeCounts } from "../frame/counts.ts";
import { decodeWarnings, WARNINGS_HEADER } from "../frame/warnings.ts";
import type { Link } from "../link/link.ts";
import { streamName, subjectOf } from "../link/streams.ts";
import { type Delivery, Feed } from "./feed.ts";

const PULL_MAX_FRAMES = 64;
/** Taken for the size of a frame until a larger one was seen. */
const FRAME_TYPICAL_BYTES = 128 * 1024;

/** One message of a lane: the events of one or more requests that fell into one partition. */
export interface Frame {
  readonly lane: Lane;
  readonly partition: number;
  readonly sequence: number;
  /** The broker's clock, epoch milliseconds. */
  readonly storedAtMs: number;
  /** As stored, compressed. */
  readonly sizeBytes: number;
  /** What it unpacks to. */
  readonly rawBytes: number;
  /** By project; empty when no publisher made the message (`decode` throws then). */
  readonly counts: TeamCounts[];
  /** The warnings about its requests. */
  readonly warnings: TeamWarning[];
  /** Unpacks anew at each call. Throws TerminalError `corrupt_frame`. */
  decode(): AcceptedEvent[];
}

export interface FrameReader {
  /** Frames that were read and not yet dropped, in order. */
  readonly buffered: readonly Frame[];
  /** Forgets frames at or below a sequence and makes room for others. */
  drop(throughSequence: number): void;
  /** The broker said that nothing is waiting beyond what is buffered (or has been dropped). */
  readonly caughtUp: boolean;
  close(): void;
}

export interface FrameReaderOptions {
  lane: Lane;
  generation: number;
  partition: number;
  fromSequence: number;
  /** Reading pauses at this much; the frames under way may exceed it a little. */
  maxBufferBytes: number;
  /** Called for each frame once it is buffered. */
  onFrame?: (frame: Frame) => void;
}

export class PartitionReader implements FrameReader {
  readonly #o: FrameReaderOptions;
  readonly #feed: Feed;
  #frames: Frame[] = [];
  #bufferedBytes = 0;
  #largestBytes = FRAME_TYPICAL_BYTES;

  constructor(link: Link, options: FrameReaderOptions) {
    this.#o = options;
    const { lane, generation, partition, fromSequence } = options;
    this.#feed = new Feed({
      link,
      stream: streamName(lane, generation),
      subject: subjectOf(lane, generation, partition),
      fromSequence,
      headersOnly: false,
      isConfirmed: true,
      room: () => this.#room(),
      onMessage: (delivery) => this.#onMessage(delivery),
    });
  }

  get buffered(): readonly Frame[] {
    return this.#frames;
  }

  get caughtUp(): boolean {
    return this.#feed.isCaughtUp;
  }

  drop(throughSequence: number): void {
    const kept = this.#frames.findIndex((frame) => frame.sequence > throughSequence);
    const dropped = kept < 0 ? this.#frames : this.#frames.slice(0, kept);
    this.#frames = kept < 0 ? [] : this.#frames.slice(kept);
    for (const frame of dropped) this.#bufferedBytes -= frame.sizeBytes;
    this.#feed.resume();
  }

  close(): void {
    this.#feed.close();
    this.#frames = [];
    this.#bufferedBytes = 0;
  }

  #room(): number {
    const free = Math.floor((this.#o.maxBufferBytes - this.#bufferedBytes) / this.#largestBytes);
    return Math.min(Math.max(free, this.#frames.length === 0 ? 1 : 0), PULL_MAX_FRAMES);
  }

  #onMessage({ message, sequence, storedAtMs }: Delivery): void {
    const frame = new StoredFrame(this.#o.lane, this.#o.partition, sequence, storedAtMs, message);
    this.#frames.push(frame);
    this.#bufferedBytes += frame.sizeBytes;
    this.#largestBytes = Math.max(this.#largestBytes, frame.sizeBytes);
    this.#o.onFrame?.(frame);
  }
}

class StoredFrame implements Frame {
  readonly counts: TeamCounts[];
  readonly warnings: TeamWarning[];
  readonly rawBytes: number;
  readonly #payload: Uint8Array;
  readonly #isOurs: boolean;

  constructor(
    readonly lane: Lane,
    readonly partition: number,
    readonly sequence: number,
    readonly storedAtMs: number,
    message: Msg,
  ) {
    // The message is a view into a chunk of the socket, which would be held as a whole.
    this.#payload = message.data.slice();
    this.rawBytes = Math.min(unpackedBytes(this.#payload) ?? FRAME_RAW_MAX_BYTES, FRAME_RAW_MAX_BYTES);
    const counts = decodeCounts(message.headers?.get(COUNTS_HEADER) ?? "");
    this.#isOurs = counts !== null;
    this.counts = counts ?? [];
    this.warnings = decodeWarnings(message.headers?.get(WARNINGS_HEADER) ?? "");
  }

  get sizeBytes(): number {
    return this.#payload.length;
  }

  decode(): AcceptedEvent[] {
    if (!this.#isOurs) throw new TerminalError("corrupt_frame", "The message has no counts: it is no frame");
    const events = decodeFrame(this.#payload);
    const counted = this.counts.reduce((sum, { events }) => sum + events, 0);
    if (events.length !== counted) {
      throw new TerminalError("corrupt_frame", `The frame holds ${events.length} events, its header says ${counted}`);
    }
    return events;
  }
}
