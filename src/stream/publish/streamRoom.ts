import { WeirError } from "../../types/mod.ts";
import type { Link } from "../link/link.ts";
import { findStream } from "../link/streams.ts";

/** Of a stream's `max_bytes`. The rest is for what other fronts send between two looks, and for frames under way. */
const USED_MAX = 0.9;
/** What a message takes besides its payload, about. */
const MESSAGE_BYTES = 512;
const LOOK_MS = 1_000;
/** Looks that fail come no sooner one after the other. */
const LOOK_AGAIN_MS = 250;
/** An answer that is out for longer is not waited for. */
const LOOK_TIMEOUT_MS = 2_000;
/** An older look says nothing: nothing is sent before the next one. */
const LOOK_MAX_AGE_MS = 3_000;
/** So long after the last frame it goes on looking. */
const IDLE_MS = 60_000;

/** A look that has begun. */
interface Look {
  beganAtMs: number;
  /** Sent since then. */
  sentBytes: number;
  isOver: boolean;
}

/**
 * The room that a stream of a cluster has. Fronts stop before it is full: a server of a cluster counts the messages that it refuses, as it
 * counts those that it drops, and after a crash copies of the stream may differ by them (protocol rule 3). A single broker refuses by itself.
 */
export class StreamRoom {
  readonly #link: Link;
  readonly #stream: string;
  readonly #onLook: () => void;
  #freeBytes = 0;
  #isMissing = false;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  /** The last one that has begun. */
  #look: Look = { beganAtMs: Number.NEGATIVE_INFINITY, sentBytes: 0, isOver: true };
  #timer: ReturnType<typeof setInterval> | null = null;

  /** `onLook` is called when the room is known anew. */
  constructor(link: Link, stream: string, onLook: () => void) {
    this.#link = link;
    this.#stream = stream;
    this.#onLook = onLook;
  }

  /** Whether a frame may be sent now; `missing`: there is no stream; `unknown`: `onLook` is called when that is known. */
  state(): "free" | "full" | "missing" | "unknown" {
    if (!this.#link.isCluster) return "free";
    const nowMs = performance.now();
    this.#usedAtMs = nowMs;
    this.#timer ??= setInterval(() => this.#tick(), LOOK_MS);
    if (nowMs - this.#lookedAtMs > LOOK_MAX_AGE_MS) {
      void this.#begin();
      return "unknown";
    }
    if (this.#isMissing) return "missing";
    return this.#freeBytes > 0 ? "free" : "full";
  }

  /** A frame has been sent. */
  take(payloadBytes: number): void {
    this.#freeBytes -= payloadBytes + MESSAGE_BYTES;
    this.#look.sentBytes += payloadBytes + MESSAGE_BYTES;
  }

  /** A frame that was sent has not been stored. */
  giveBack(payloadBytes: number): void {
    this.#freeBytes += payloadBytes + MESSAGE_BYTES;
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    if (performance.now() - this.#usedAtMs > IDLE_MS) this.close();
    else void this.#begin();
  }

  async #begin(): Promise<void> {
    const beganAtMs = performance.now();
    if (beganAtMs - this.#look.beganAtMs < (this.#look.isOver ? LOOK_AGAIN_MS : LOOK_TIMEOUT_MS)) return;
    const look = { beganAtMs, sentBytes: 0, isOver: false };
    this.#look = look;
    const info = await findStream(this.#link, this.#stream).catch(passing);
    look.isOver = true;
    // It failed, or a later look has begun since.
    if (info === undefined || this.#look !== look) return;
    this.#isMissing = info === null;
    if (info !== null) this.#freeBytes = info.config.max_bytes * USED_MAX - info.state.bytes - look.sentBytes;
    this.#lookedAtMs = performance.now();
    this.#onLook();
  }
}

/** There is no leader, or the broker is away: what waits is given up in time, or sent after a later look. */
function passing(error: unknown): undefined {
  if (!(error instanceof WeirError)) throw error;
}
