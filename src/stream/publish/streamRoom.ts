import { WeirError } from "../../types/mod.ts";
import type { Link } from "../link/link.ts";
import { findStream } from "../link/streams.ts";

/** Of a stream's `max_bytes`. The rest is for what other fronts send between two looks, and for frames under way. */
const USED_MAX = 0.9;
const LOOK_MS = 1_000;
/** An older look says nothing: nothing is sent before the next one. */
const LOOK_MAX_AGE_MS = 3_000;
/** So long after the last frame it goes on looking. */
const IDLE_MS = 60_000;

/**
 * The room that a stream of a cluster has. Fronts stop before it is full: a server of a cluster counts the messages that it refuses, as it
 * counts those that it drops, and after a crash copies of the stream may differ by them (protocol rule 3). A single broker refuses by itself.
 */
export class StreamRoom {
  readonly #link: Link;
  readonly #stream: string;
  readonly #onLook: () => void;
  #freeBytes = 0;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #usedAtMs = Number.NEGATIVE_INFINITY;
  /** Sent since the look under way has begun. */
  #sentBytes = 0;
  #isLooking = false;
  #timer: ReturnType<typeof setInterval> | null = null;

  /** `onLook` is called when the room is known anew. */
  constructor(link: Link, stream: string, onLook: () => void) {
    this.#link = link;
    this.#stream = stream;
    this.#onLook = onLook;
  }

  /** Whether a frame may be sent now; `unknown`: `onLook` is called when that is known. */
  state(): "free" | "full" | "unknown" {
    if (!this.#link.isCluster) return "free";
    const nowMs = performance.now();
    this.#usedAtMs = nowMs;
    this.#timer ??= setInterval(() => this.#tick(), LOOK_MS);
    if (nowMs - this.#lookedAtMs > LOOK_MAX_AGE_MS) {
      this.#look();
      return "unknown";
    }
    return this.#freeBytes > 0 ? "free" : "full";
  }

  /** A frame has been sent. */
  take(sizeBytes: number): void {
    this.#freeBytes -= sizeBytes;
    this.#sentBytes += sizeBytes;
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #tick(): void {
    if (performance.now() - this.#usedAtMs > IDLE_MS) this.close();
    else this.#look();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#sentBytes = 0;
    try {
      const info = await findStream(this.#link, this.#stream);
      if (info === null) return;
      this.#freeBytes = info.config.max_bytes * USED_MAX - info.state.bytes - this.#sentBytes;
      this.#lookedAtMs = performance.now();
      this.#onLook();
    } catch (error) {
      // There is no leader, or the broker is away: what waits is given up in time, or sent after a later look.
      if (!(error instanceof WeirError)) throw error;
    } finally {
      this.#isLooking = false;
    }
  }
}
