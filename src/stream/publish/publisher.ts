import { randomBytes } from "node:crypto";
import { type AcceptedEvent, type Lane, TerminalError, type WeirError } from "../../types/mod.ts";
import { FrameWriter } from "../frame/frameWriter.ts";
import { type Link, unavailable } from "../link/link.ts";
import { identityPartitionOf } from "../link/partition.ts";
import { storedTimeOf, streamName, subjectOf } from "../link/streams.ts";
import { AckInbox } from "./ackInbox.ts";
import { type LaneState, Outbox } from "./outbox.ts";
import { addEvent, EVENT_MAX_BYTES, emptyPart, type PublishBatch, splitBatch, type UnsentPart } from "./parts.ts";
import { Request } from "./request.ts";
import { StreamRoom } from "./streamRoom.ts";
import { type CutTurns, TURN_GAP_MS, type Turn } from "./turns.ts";

const TICK_MS = 50;
/** Of `PublishBatch`es: where copies of merging events go first. */
const IDENTITY = "identity";

export interface Publisher {
  /**
   * Resolves when every frame with a part of the batch is acknowledged. Rejects with RetryableError
   * `broker_unavailable` | `stream_full` | `publish_timeout` | `sequence_went_back` | `frame_refused`: some of the
   * events may have been stored then. TerminalError `frame_refused`: too large for the broker.
   */
  publish(batch: PublishBatch): Promise<void>;
  /**
   * Puts requests of one project on the identity lane, in order. Resolves when all are acknowledged, with the place of
   * the last. Rejects as `publish` does.
   */
  publishIdentity(teamId: number, requests: readonly AcceptedEvent[]): Promise<{ partition: number; sequence: number }>;
  /** Of the batches that wait for an acknowledgement, estimated. The client has no bound of its own. */
  readonly inflightBytes: number;
  /** How long the oldest frame has been without an acknowledgement; 0 when none is under way. */
  readonly unansweredMs: number;
  /** With `waitsForLook`: the streams are those of before, so that waiting events may be sent. */
  resume(): void;
  /** Everything that waits fails with `broker_unavailable`. */
  close(): void;
}

export interface PublisherOptions {
  inTurns: CutTurns;
  generation: number;
  partitions: number;
  /** Before compression; a frame may exceed it by its last event. */
  frameMaxBytes: number;
  frameLingerMs: number;
  /** A batch not acknowledged by then is given up. */
  publishTimeoutMs: number;
  /**
   * After a loss of the connection nothing is sent until `resume`: the streams may be others than before, whose
   * acknowledgements mean nothing (protocol rule 2).
   */
  waitsForLook?: boolean;
  /** The begin of its frames' ids; 128 random bits when absent. */
  instanceId?: string;
}

export class BusPublisher implements Publisher {
  readonly #link: Link;
  readonly #o: PublisherOptions;
  readonly #instanceId: string;
  readonly #inbox: AckInbox;
  readonly #writer = new FrameWriter();
  readonly #lanes = new Map<Lane, { state: LaneState; outboxes: Outbox[] }>();
  readonly #requests = new Set<Request>();
  readonly #unlisten: (() => void)[];
  #inflightBytes = 0;
  #closed = false;
  #isHeld = false;
  #ticker: ReturnType<typeof setInterval> | null = null;

  constructor(link: Link, options: PublisherOptions) {
    if (options.frameMaxBytes > EVENT_MAX_BYTES) {
      throw new TerminalError(
        "invalid_setting",
        `A frame of ${options.frameMaxBytes} is larger than ${EVENT_MAX_BYTES}`,
      );
    }
    this.#link = link;
    this.#o = options;
    this.#instanceId = options.instanceId ?? randomBytes(16).toString("hex");
    this.#inbox = new AckInbox(link);
    this.#unlisten = [
      link.onChange((connected) => {
        if (!connected) this.#isHeld = this.#o.waitsForLook === true;
        else if (!this.#isHeld) for (const outbox of this.#outboxes()) outbox.onReconnect();
      }),
      link.onClose(() => this.close()),
    ];
  }

  get inflightBytes(): number {
    return this.#inflightBytes;
  }

  get unansweredMs(): number {
    const nowMs = performance.now();
    return this.#outboxes().reduce((longest, outbox) => Math.max(longest, outbox.unansweredMs(nowMs)), 0);
  }

  async publish(batch: PublishBatch): Promise<void> {
    const turns = this.#o.inTurns(batch);
    for (const [i, turn] of turns.entries()) {
      if (i > 0) await Bun.sleep(TURN_GAP_MS);
      if (turn.merging.length > 0) await this.#publishMerges(batch.teamId, turn);
      // Counts and warnings are sent once, with the last turn.
      const rest = i === turns.length - 1 ? {} : { dropped: {}, warnings: [] };
      await this.#send(batch.lane, splitBatch({ ...batch, ...rest, events: turn.events }, this.#o.partitions));
    }
  }

  async publishIdentity(teamId: number, requests: readonly AcceptedEvent[]) {
    const sequences = await this.#storeIdentity(teamId, requests);
    return { partition: identityPartitionOf(teamId, this.#o.partitions), sequence: sequences.at(-1)! };
  }

  /**
   * Copies of merging events go to the identity lane first, and each event carries when and where its copy was stored
   * (protocol rule 6); later events of their ids carry the time too. That a copy is stored and its event is not
   * accepted after all is allowed.
   */
  async #publishMerges(teamId: number, { merging, later }: Turn): Promise<void> {
    const sequences = await this.#storeIdentity(
      teamId,
      merging.map(({ copy }) => copy),
    );
    const times = new Map<number, number>();
    for (const sequence of new Set(sequences)) {
      times.set(sequence, await storedTimeOf(this.#link, IDENTITY, this.#o.generation, sequence));
    }
    for (const [i, { event }] of merging.entries()) {
      event.mergeSequence = sequences[i]!;
      event.mergedAtMs = times.get(event.mergeSequence)!;
    }
    const lastMs = Math.max(...times.values());
    for (const event of later) event.mergedAtMs = lastMs;
  }

  /** The sequence of each request's frame. */
  async #storeIdentity(teamId: number, requests: readonly AcceptedEvent[]): Promise<number[]> {
    const sequences: number[] = [];
    const part = emptyPart(teamId);
    for (const request of requests) addEvent(part, request);
    part.onStored = (from, to, sequence) => sequences.fill(sequence, from, to);
    sequences.length = requests.length;
    await this.#send(IDENTITY, new Map([[identityPartitionOf(teamId, this.#o.partitions), part]]));
    return sequences;
  }

  async #send(laneName: Lane, parts: Map<number, UnsentPart>): Promise<void> {
    if (this.#closed) throw unavailable("the publisher is closed");
    if (!this.#link.isConnected) throw unavailable();
    const lane = this.#laneOf(laneName);
    if (lane.state.failure !== null) throw lane.state.failure;
    if (parts.size === 0) return;
    const sizeBytes = parts.values().reduce((sum, part) => sum + part.waitingBytes, 0);
    const request = new Request(parts.size, sizeBytes, performance.now() + this.#o.publishTimeoutMs, (settled) => {
      this.#inflightBytes -= settled.sizeBytes;
      this.#requests.delete(settled);
    });
    this.#inflightBytes += sizeBytes;
    this.#requests.add(request);
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS);
    for (const [partition, part] of parts) lane.outboxes[partition]!.add({ ...part, request });
    return request.outcome;
  }

  resume(): void {
    if (!this.#isHeld || !this.#link.isConnected) return;
    this.#isHeld = false;
    for (const outbox of this.#outboxes()) outbox.onReconnect();
  }

  close(): void {
    this.#closed = true;
    for (const unlisten of this.#unlisten) unlisten();
    for (const outbox of this.#outboxes()) outbox.failEverything(unavailable("the publisher was closed"));
    for (const { state } of this.#lanes.values()) state.room.close();
    if (this.#ticker) clearInterval(this.#ticker);
    this.#inbox.close();
  }

  #laneOf(lane: Lane): { state: LaneState; outboxes: Outbox[] } {
    const known = this.#lanes.get(lane);
    if (known !== undefined) return known;
    const { generation, partitions, frameMaxBytes, frameLingerMs } = this.#o;
    const stream = streamName(lane, generation);
    const room = new StreamRoom(this.#link, stream, () => {
      for (const outbox of outboxes) outbox.onLook();
    });
    const state: LaneState = { stream, highestSequence: 0, room, failure: null };
    const outboxes = Array.from({ length: partitions }, (_, partition) => {
      const subject = subjectOf(lane, generation, partition);
      return new Outbox({
        canSend: () => this.#link.isConnected && !this.#isHeld,
        maySendIds: () => !this.#link.isCluster,
        inbox: this.#inbox,
        writer: this.#writer,
        lane: state,
        subject,
        frameMaxBytes,
        frameLingerMs,
        idPrefix: `${this.#instanceId}.${subject}`,
        onLaneFailure: (error) => this.#failLane(lane, error),
      });
    });
    const made = { state, outboxes };
    this.#lanes.set(lane, made);
    return made;
  }

  #failLane(lane: Lane, error: WeirError): void {
    const { state, outboxes } = this.#laneOf(lane);
    state.failure = error;
    for (const outbox of outboxes) outbox.failEverything(error);
  }

  #tick(): void {
    const nowMs = performance.now();
    for (const outbox of this.#outboxes()) outbox.tick(nowMs);
    if (this.#requests.size > 0 || this.#ticker === null) return;
    clearInterval(this.#ticker);
    this.#ticker = null;
  }

  *#outboxes(): Generator<Outbox> {
    for (const { outboxes } of this.#lanes.values()) yield* outboxes;
  }
}
