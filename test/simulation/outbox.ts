import type { AcceptedEvent, Lane, TeamCounts } from "../../src/types/mod.ts";
import { away, type OutgoingFrame } from "./broker.ts";
import type { FrontWrongs } from "./frontWrongs.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

const ACK_TIMEOUT_MS = 200;
const GIVE_UP_MS = 600;
const FRAME_MAX_PARTS = 2;

/** One call of a client: it fails as a whole. */
export interface Sending {
  hasFailed: boolean;
  fail(error: Error): void;
}

/** What of a call goes into one frame. */
export interface Chunk {
  sending: Sending;
  teamId: number;
  events: AcceptedEvent[];
  dropped: TeamCounts["dropped"];
  isCorrupt: boolean;
  stored(sequence: number): void;
}

/** The front that events are sent for. */
export interface SendingFront {
  readonly universe: Universe;
  readonly process: Process;
  readonly wrongs: FrontWrongs;
}

/** What an outbox needs of its publisher. */
interface OutboxOwner {
  readonly front: SendingFront;
  readonly generation: number;
  laneOf(lane: Lane): { highestSequence: number };
  /** A lane counted backwards: nothing more is sent on it. */
  failLane(lane: Lane): void;
}

interface InFlight {
  frame: OutgoingFrame;
  chunks: Chunk[];
  attempts: number;
  sinceMs: number;
  /** Acknowledgements must come above. */
  floor: number;
}

/** Of one (lane, partition): one frame under way, the same one again when its acknowledgement does not come. */
export class Outbox {
  private readonly queue: Chunk[] = [];
  private inFlight: InFlight | null = null;
  private sent = 0;

  constructor(
    private readonly publisher: OutboxOwner,
    private readonly lane: Lane,
    private readonly partition: number,
  ) {}

  add(chunk: Chunk): void {
    this.queue.push(chunk);
    this.pump();
  }

  onReconnect(): void {
    if (this.inFlight !== null) this.transmit(this.inFlight);
    else this.pump();
  }

  failEverything(): void {
    const chunks = [...(this.inFlight?.chunks ?? []), ...this.queue.splice(0)];
    this.inFlight = null;
    for (const { sending } of chunks) sending.fail(away());
  }

  private pump(): void {
    if (this.inFlight !== null) return;
    const chunks: Chunk[] = [];
    while (chunks.length < FRAME_MAX_PARTS && this.queue.length > 0) {
      const chunk = this.queue.shift()!;
      if (!chunk.sending.hasFailed || this.publisher.front.wrongs.goesOnAfterFailure) chunks.push(chunk);
    }
    if (chunks.length === 0) return;
    const { generation, front } = this.publisher;
    const counts = chunks.map(({ teamId, events, dropped }) => ({ teamId, events: events.length, dropped }));
    const frame: OutgoingFrame = {
      id: `${front.wrongs.reusesIds ? "front" : front.process.name}.${this.lane}.${generation}.${this.partition}.${this.sent++}`,
      lane: this.lane,
      generation,
      partition: this.partition,
      counts,
      events: chunks.flatMap(({ events }) => events),
      isCorrupt: chunks.some(({ isCorrupt }) => isCorrupt),
    };
    const floor = this.publisher.laneOf(this.lane).highestSequence;
    this.inFlight = { frame, chunks, attempts: 0, sinceMs: front.universe.scheduler.nowMs, floor };
    this.transmit(this.inFlight);
  }

  private transmit(inFlight: InFlight): void {
    const { universe, process } = this.publisher.front;
    const { scheduler, trouble, broker } = universe;
    const attempt = ++inFlight.attempts;
    scheduler.after(ACK_TIMEOUT_MS, process, () => this.onTimeout(inFlight, attempt));
    if (trouble.draw("publish lost")) return;
    const arrive = () => {
      if (broker.isUp && trouble.draw("publish refused")) {
        scheduler.after(scheduler.delayMs(), process, () => this.onRefusal(inFlight, attempt));
        return;
      }
      const answer = broker.store(inFlight.frame);
      if (answer === "refused") {
        scheduler.after(scheduler.delayMs(), process, () => this.onRefusal(inFlight, attempt));
        return;
      }
      if (answer === null || trouble.draw("acknowledgement lost")) return;
      scheduler.after(scheduler.delayMs(), process, () => this.onAnswer(inFlight, attempt, answer));
    };
    scheduler.after(scheduler.delayMs(), null, arrive);
    if (trouble.draw("publish duplicated")) scheduler.after(scheduler.delayMs(), null, arrive);
  }

  private onTimeout(inFlight: InFlight, attempt: number): void {
    if (this.inFlight !== inFlight || inFlight.attempts !== attempt) return;
    const { universe, wrongs } = this.publisher.front;
    const { scheduler } = universe;
    if (wrongs.sendsLaterFirst) {
      this.inFlight = null;
      this.queue.push(...inFlight.chunks);
      this.pump();
    } else if (scheduler.nowMs - inFlight.sinceMs < GIVE_UP_MS) this.transmit(inFlight);
    else this.fail(inFlight);
  }

  private onRefusal(inFlight: InFlight, attempt: number): void {
    if (this.inFlight === inFlight && inFlight.attempts === attempt) this.fail(inFlight);
  }

  private onAnswer(inFlight: InFlight, attempt: number, answer: { sequence: number; isDuplicate: boolean }): void {
    if (this.inFlight !== inFlight || inFlight.attempts !== attempt) return;
    if (answer.sequence <= inFlight.floor) this.publisher.failLane(this.lane);
    else if (attempt === 1 && answer.isDuplicate && !this.publisher.front.wrongs.reusesIds) this.fail(inFlight);
    else {
      this.inFlight = null;
      const lane = this.publisher.laneOf(this.lane);
      lane.highestSequence = Math.max(lane.highestSequence, answer.sequence);
      for (const chunk of inFlight.chunks) chunk.stored(answer.sequence);
      this.pump();
    }
  }

  private fail(inFlight: InFlight): void {
    this.inFlight = null;
    for (const { sending } of inFlight.chunks) sending.fail(away());
    this.pump();
  }
}
