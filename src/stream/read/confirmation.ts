/** What comes so soon after reading began may come from a copy that lacks messages. */
const YOUNG_MS = 10_000;
const RETRY_MS = 50;
/** A leader that does not know of a delivery for so long is not waited for. */
const PATIENCE_MS = 10_000;

interface ConfirmationOptions<T> {
  /** The last sequence of the stream when reading began, as its leader knew it. */
  leaderLast: number;
  /** Sequence of the first message behind the last one handed over, as the stream's leader knows it; null: none. */
  next: () => Promise<number | null>;
  /** In order, each once. */
  onConfirmed: (delivery: T) => void;
  /** There is a message before the delivery that has not come, or the leader does not answer for it: reading must begin anew. */
  onRefused: () => void;
}

/**
 * Hands deliveries of a consumer over once the stream's leader says that none is missing before them. A server of a cluster that has just started
 * passes over messages that its copy of the stream does not have yet (nats-server 2.9.10).
 */
export class Confirmation<T extends { sequence: number }> {
  readonly #o: ConfirmationOptions<T>;
  readonly #waiting: T[] = [];
  readonly #youngUntilMs = performance.now() + YOUNG_MS;
  #isClosed = false;

  constructor(options: ConfirmationOptions<T>) {
    this.#o = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether a delivery has to wait for the leader's word. */
  isNeeded(sequence: number): boolean {
    return !this.isEmpty || sequence <= this.#o.leaderLast || performance.now() < this.#youngUntilMs;
  }

  add(delivery: T): void {
    this.#waiting.push(delivery);
    if (this.#waiting.length === 1) void this.#run();
  }

  close(): void {
    this.#isClosed = true;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed && this.#waiting.length > 0) {
      const isRight = await this.#confirm(this.#waiting[0]!.sequence);
      if (this.#isClosed) return;
      if (!isRight) {
        this.#o.onRefused();
        return;
      }
      this.#o.onConfirmed(this.#waiting.shift()!);
    }
  }

  /** A leader that has not applied its log yet is asked again. */
  async #confirm(sequence: number): Promise<boolean> {
    const deadlineMs = performance.now() + PATIENCE_MS;
    while (!this.#isClosed && performance.now() < deadlineMs) {
      const next = await this.#o.next().catch(() => null);
      if (next !== null && next <= sequence) return next === sequence;
      await Bun.sleep(RETRY_MS);
    }
    return false;
  }
}
