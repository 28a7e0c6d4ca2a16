import { describeError } from "../../types/mod.ts";
import type { Catalog } from "../catalog/mod.ts";

/** A pin costs two durable transactions, more than the rest of a short query, so those that begin in this time share one. */
const SHARED_FOR_MS = 1_000;

interface Pin {
  id: Promise<string>;
  /** On this process's clock, from before it was written: here it ends before it does in the catalog. */
  endsAtMs: number;
  users: number;
  isGone: boolean;
}

/** The pin that holds files for the queries of this process (protocol rule 12): one that is older keeps more, never less. */
export class SharedPin {
  private current: Pin | null = null;
  private readonly leaving = new Set<Promise<void>>();

  constructor(
    private readonly options: { catalog: Pick<Catalog, "holdFiles" | "unpin">; log(message: string): void },
  ) {}

  /** Files that are live when `body` begins, or later, stay on disk until it ends, for `forMs` at most. */
  async during<T>(forMs: number, body: () => Promise<T>): Promise<T> {
    const pin = this.pinFor(forMs);
    pin.users++;
    try {
      await pin.id;
      return await body();
    } finally {
      pin.users--;
      this.letGo(pin);
    }
  }

  async close(): Promise<void> {
    if (this.current !== null) this.retire(this.current);
    await Promise.all(this.leaving);
  }

  private pinFor(forMs: number): Pin {
    const nowMs = performance.now();
    if (this.current !== null && this.current.endsAtMs >= nowMs + forMs) return this.current;
    if (this.current !== null) this.retire(this.current);
    const ttlMs = forMs + SHARED_FOR_MS;
    const pin = { id: this.options.catalog.holdFiles(ttlMs), endsAtMs: nowMs + ttlMs, users: 0, isGone: false };
    pin.id.catch(() => this.retire(pin));
    this.current = pin;
    setTimeout(() => this.retire(pin), SHARED_FOR_MS).unref();
    return pin;
  }

  /** No further query begins with it. */
  private retire(pin: Pin): void {
    if (this.current === pin) this.current = null;
    this.letGo(pin);
  }

  private letGo(pin: Pin): void {
    if (pin === this.current || pin.users > 0 || pin.isGone) return;
    pin.isGone = true;
    const leaving: Promise<void> = this.remove(pin).finally(() => this.leaving.delete(leaving));
    this.leaving.add(leaving);
  }

  private async remove(pin: Pin): Promise<void> {
    try {
      await this.options.catalog.unpin(await pin.id);
    } catch (error) {
      // One that was never written holds nothing, and one that cannot be removed now expires.
      this.options.log(`unpin: ${describeError(error)}`);
    }
  }
}
