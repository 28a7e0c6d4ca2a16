import type { Frame, FrameReader } from "../../src/stream/mod.ts";
import type { Lane } from "../../src/types/mod.ts";
import { frameOf, type StoredFrame } from "./broker.ts";
import type { Process } from "./scheduler.ts";
import type { Universe } from "./universe.ts";

const MAX_BUFFERED = 8;
/** After so long without a message, a reader that is not at the end asks again. */
const SILENCE_MS = 400;

export interface ReaderOptions {
  lane: Lane;
  generation: number;
  partition: number;
  fromSequence: number;
}

/** What the broker keeps for a reader. */
interface Session {
  /** Sequence of the last frame that was sent. */
  cursor: number;
  sent: number;
  received: number;
  /** When the last one arrives: a connection keeps the order. */
  arrivesAtMs: number;
  pending: number | null;
}

/**
 * Reads one (lane, partition) as src/stream/read does: messages carry a count, and whenever it is not the next one a new
 * session goes on behind the last frame that was seen. The network between loses, doubles and delays.
 */
export class SimReader implements FrameReader {
  private frames: Frame[] = [];
  private session: Session | null = null;
  protected lastSequence: number;
  private isClosed = false;
  private readonly unlisten: () => void;

  constructor(
    private readonly universe: Universe,
    private readonly process: Process,
    private readonly o: ReaderOptions,
  ) {
    this.lastSequence = o.fromSequence - 1;
    this.unlisten = universe.broker.listen((change) => {
      if (change === "down") this.session = null;
      else if (change === "up") universe.scheduler.after(universe.scheduler.delayMs(), process, () => this.restart());
      else if (this.isOwn(change)) this.pump();
    });
    universe.scheduler.after(universe.scheduler.delayMs(), process, () => this.restart());
    this.watch();
  }

  get buffered(): readonly Frame[] {
    return this.frames;
  }

  get caughtUp(): boolean {
    return this.session?.pending === 0;
  }

  drop(throughSequence: number): void {
    this.frames = this.frames.filter(({ sequence }) => sequence > throughSequence);
    this.pump();
  }

  close(): void {
    this.isClosed = true;
    this.session = null;
    this.frames = [];
    this.unlisten();
  }

  private restart(): void {
    if (this.isClosed || !this.universe.broker.isUp) return;
    this.session = { cursor: this.lastSequence, sent: 0, received: 0, arrivesAtMs: 0, pending: null };
    this.session.pending = this.waiting(this.session).length;
    this.process.stir();
    this.pump();
  }

  private watch(): void {
    if (this.isClosed) return;
    this.universe.scheduler.after(SILENCE_MS, this.process, () => {
      const { session } = this;
      const isBehind = session === null || session.sent > session.received;
      if (isBehind && !this.isClosed) this.restart();
      this.watch();
    });
  }

  private waiting(session: Session): StoredFrame[] {
    const { lane, generation, partition } = this.o;
    const frames = this.universe.broker.stream(lane, generation)?.frames ?? [];
    return frames.filter((frame) => frame.partition === partition && frame.sequence > session.cursor);
  }

  private isOwn({ lane, generation, partition }: StoredFrame): boolean {
    return lane === this.o.lane && generation === this.o.generation && partition === this.o.partition;
  }

  /** The broker sends what there is room for. */
  private pump(): void {
    const { session, universe } = this;
    if (session === null || this.isClosed || !universe.broker.isUp || !this.process.isAlive) return;
    const waiting = this.waiting(session);
    const room = MAX_BUFFERED - this.frames.length - (session.sent - session.received);
    for (const [i, stored] of waiting.slice(0, Math.max(0, room)).entries()) {
      session.cursor = stored.sequence;
      session.sent++;
      this.send(session, session.sent, stored, waiting.length - i - 1);
    }
  }

  private send(session: Session, count: number, stored: StoredFrame, pending: number): void {
    const { scheduler, trouble } = this.universe;
    if (trouble.draw("delivery dropped")) return;
    session.arrivesAtMs = Math.max(session.arrivesAtMs + 1, scheduler.nowMs + scheduler.delayMs());
    const lateMs = trouble.draw("delivery delayed") ? 40 : 0;
    const delayMs = session.arrivesAtMs - scheduler.nowMs + lateMs;
    const receive = () => this.receive(session, count, stored, pending);
    scheduler.after(delayMs, this.process, receive);
    if (trouble.draw("delivery duplicated")) scheduler.after(delayMs + scheduler.delayMs(), this.process, receive);
  }

  private receive(session: Session, count: number, stored: StoredFrame, pending: number): void {
    if (this.session !== session || this.isClosed) return;
    if (!this.isNext(count, session.received)) {
      this.universe.trouble.note("reader made anew");
      this.restart();
      return;
    }
    session.received = count;
    session.pending = pending;
    this.lastSequence = stored.sequence;
    this.frames.push(frameOf(stored));
    this.process.stir();
  }

  /** Whether a message is the one after the last. */
  protected isNext(count: number, received: number): boolean {
    return count === received + 1;
  }
}
