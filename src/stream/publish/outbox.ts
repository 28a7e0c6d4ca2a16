import { describeError, RetryableError, TerminalError, type WeirError } from "../../types/mod.ts";
import type { FrameWriter } from "../frame/frameWriter.ts";
import { ApiError, unavailable } from "../link/link.ts";
import type { Ack, AckInbox } from "./ackInbox.ts";
import { failAll, type OutgoingFrame, takeFrame } from "./frame.ts";
import type { Part } from "./request.ts";
import type { StreamRoom } from "./streamRoom.ts";

/** The same frame is sent again when its acknowledgement is out for this long. */
const ACK_TIMEOUT_MS = 5_000;
/** ... or so soon, when JetStream was not up yet after a restart. */
const RETRY_MS = 100;

/** What the outboxes of one lane share. */
export interface LaneState {
  readonly stream: string;
  /** Of all acknowledgements of this lane so far. */
  highestSequence: number;
  readonly room: StreamRoom;
  /** Set once, and final: the stream counts anew, so that frames which it acknowledges may never be read. */
  failure: WeirError | null;
}

interface OutboxOptions {
  /** Whether the broker is there, and is known to be the one of before. */
  canSend(): boolean;
  /** Whether the broker may be asked to drop copies of a frame (protocol rule 3). */
  maySendIds(): boolean;
  inbox: AckInbox;
  writer: FrameWriter;
  lane: LaneState;
  subject: string;
  frameMaxBytes: number;
  frameLingerMs: number;
  /** `Nats-Msg-Id`s begin with it. */
  idPrefix: string;
  /** The lane has failed; all its outboxes are to fail what they hold. */
  onLaneFailure: (error: WeirError) => void;
}

interface InFlight {
  frame: OutgoingFrame;
  attempts: number;
  token: string;
  /** First. */
  sentAtMs: number;
  resendAtMs: number;
  /** Highest sequence known when it was first sent: it must come above. */
  floor: number;
}

/** The queue of one (lane, partition): at most one unacknowledged frame, and none overtakes another (protocol rule 4). */
export class Outbox {
  readonly #o: OutboxOptions;
  readonly #parts: Part[] = [];
  #inFlight: InFlight | null = null;
  #frameCount = 0;
  #lastSentAtMs = Number.NEGATIVE_INFINITY;
  #linger: ReturnType<typeof setTimeout> | null = null;

  constructor(options: OutboxOptions) {
    this.#o = options;
  }

  add(part: Part): void {
    this.#parts.push(part);
    this.#pump();
  }

  /** How long its frame has been without an acknowledgement; 0 when none is under way. */
  unansweredMs(nowMs: number): number {
    return this.#inFlight === null ? 0 : nowMs - this.#inFlight.sentAtMs;
  }

  /** Called now and then: gives up requests that are too old, and sends a frame again that was not acknowledged. */
  tick(nowMs: number): void {
    const inFlight = this.#inFlight;
    if (inFlight !== null) {
      if (isLate([...inFlight.frame.requests], nowMs)) this.#fail(timedOut());
      else if (nowMs >= inFlight.resendAtMs && this.#o.canSend() && this.#o.lane.room.state() === "free") {
        this.#send(inFlight, nowMs);
      }
    }
    for (const { request } of this.#parts) if (nowMs >= request.deadlineMs) request.fail(timedOut());
    this.#pump();
  }

  /** The room of the stream is known anew. */
  onLook(): void {
    this.#pump();
  }

  /** Sending is possible again: the frame that was under way is sent again before any other. */
  onReconnect(): void {
    if (this.#inFlight !== null) this.#send(this.#inFlight, performance.now());
    else this.#pump();
  }

  failEverything(error: WeirError): void {
    this.#failWaiting(error);
    this.#fail(error);
    if (this.#linger) clearTimeout(this.#linger);
  }

  /**
   * Sends the next frame if it is time: none is in flight, and the last was sent a linger ago or a full frame waits.
   * An outbox that was idle sends at once.
   */
  #pump(): void {
    if (this.#inFlight !== null || this.#parts.length === 0 || !this.#o.canSend()) return;
    const nowMs = performance.now();
    const waitMs = this.#lastSentAtMs + this.#o.frameLingerMs - nowMs;
    if (waitMs > 0 && !this.#hasFullFrame()) {
      this.#linger ??= setTimeout(() => {
        this.#linger = null;
        this.#pump();
      }, Math.ceil(waitMs));
      return;
    }
    const { frameMaxBytes, lane, idPrefix, writer } = this.#o;
    const room = lane.room.state();
    if (room === "full") this.#failWaiting(streamFull("nine tenths of it are used, the most in a cluster"));
    if (room === "missing") this.#failWaiting(unavailable(`there is no ${lane.stream}`));
    if (room !== "free") return;
    const id = this.#o.maySendIds() ? (): string => `${idPrefix}.${this.#frameCount++}` : null;
    const frame = takeFrame(this.#parts, writer, { frameMaxBytes, id, stream: lane.stream });
    if (frame === null) return;
    this.#inFlight = { frame, attempts: 0, token: "", sentAtMs: nowMs, resendAtMs: 0, floor: lane.highestSequence };
    this.#send(this.#inFlight, nowMs);
  }

  #failWaiting(error: WeirError): void {
    failAll(
      this.#parts.splice(0).map((part) => part.request),
      error,
    );
  }

  #hasFullFrame(): boolean {
    let waitingBytes = 0;
    for (const part of this.#parts) {
      waitingBytes += part.waitingBytes;
      if (waitingBytes >= this.#o.frameMaxBytes) return true;
    }
    return false;
  }

  #send(inFlight: InFlight, nowMs: number): void {
    inFlight.attempts++;
    inFlight.resendAtMs = nowMs + ACK_TIMEOUT_MS;
    this.#lastSentAtMs = nowMs;
    const isFirst = inFlight.attempts === 1;
    this.#o.inbox.forget(inFlight.token);
    try {
      const { payload, headers } = inFlight.frame;
      this.#o.lane.room.take(payload.length);
      inFlight.token = this.#o.inbox.send(this.#o.subject, payload, headers, (ack) => {
        if (this.#inFlight === inFlight) this.#onAck(inFlight, ack, isFirst);
      });
    } catch (error) {
      // The client refuses what is larger than the broker's max_payload; it will not get smaller.
      this.#fail(
        new TerminalError("frame_refused", `A frame cannot be sent: ${describeError(error)}`, { cause: error }),
      );
    }
  }

  #onAck(inFlight: InFlight, ack: Ack, isFirst: boolean): void {
    if (ack.kind === "no_responders") {
      this.#o.lane.room.giveBack(inFlight.frame.payload.length);
      // After a first attempt it is certain that nothing was stored; after another the broker may be starting.
      if (isFirst) this.#fail(unavailable("JetStream does not answer"));
      else inFlight.resendAtMs = performance.now() + RETRY_MS;
    } else if (ack.kind === "refused") this.#fail(refusal(ack.code, ack.text));
    else if (ack.sequence <= inFlight.floor) this.#failLane(ack.sequence, inFlight.floor);
    else if (isFirst && ack.isDuplicate) {
      this.#fail(new RetryableError("frame_refused", `Frame id of ${this.#o.subject} was taken: nothing was stored`));
    } else this.#settle(ack.sequence);
  }

  #settle(sequence: number): void {
    const { completes, onStored } = this.#inFlight!.frame;
    for (const tell of onStored) tell(sequence);
    this.#inFlight = null;
    this.#o.lane.highestSequence = Math.max(this.#o.lane.highestSequence, sequence);
    for (const request of completes) request.partDone();
    this.#pump();
  }

  /** Gives up the frame in flight: every request with a part in it fails, with all its parts that wait in other outboxes. */
  #fail(error: WeirError): void {
    const inFlight = this.#inFlight;
    if (inFlight === null) return;
    this.#inFlight = null;
    this.#o.inbox.forget(inFlight.token);
    failAll(inFlight.frame.requests, error);
    this.#pump();
  }

  #failLane(sequence: number, floor: number): void {
    const text = `${this.#o.lane.stream} acknowledged sequence ${sequence} after ${floor}: it was made again or put back`;
    this.#o.onLaneFailure(new RetryableError("sequence_went_back", text));
  }
}

function isLate(requests: { deadlineMs: number }[], nowMs: number): boolean {
  return requests.some(({ deadlineMs }) => nowMs >= deadlineMs);
}

function timedOut(): RetryableError {
  return new RetryableError("publish_timeout", "The broker did not acknowledge in time");
}

function refusal(code: number, text: string): RetryableError {
  if (code === ApiError.streamFull || code === ApiError.storageFull || code === ApiError.resourcesFull) {
    return streamFull(text);
  }
  return new RetryableError("frame_refused", `The broker refused a frame: ${text} (${code})`);
}

function streamFull(detail: string): RetryableError {
  return new RetryableError("stream_full", `The stream is full: ${detail}`);
}
