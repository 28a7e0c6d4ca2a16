import { describeError } from "../../types/mod.ts";
import type { ArrivalMark, Arrivals, Catalog } from "../catalog/mod.ts";

/** A reader that comes again within this time finds the files of all that was stored meanwhile. */
const HELD_FOR_MS = 90_000;
/** Those that ask within this time share a pin. */
const SHARED_FOR_MS = 5_000;

/**
 * What arrives in projects, for readers that ask again and again. While somebody asks, files that compaction has replaced stay for a
 * while, so that each flush can be read by itself. Nothing is held where nobody asks.
 */
export class ArrivalWatch {
  private held: { done: Promise<unknown>; atMs: number } | null = null;

  constructor(
    private readonly options: { catalog: Pick<Catalog, "holdFiles" | "arrivalsSince">; log(message: string): void },
  ) {}

  /** What was stored behind a mark; without one, where the end is now. */
  async since(teamId: number, after: ArrivalMark | null): Promise<Arrivals> {
    await this.hold();
    return this.options.catalog.arrivalsSince(teamId, after);
  }

  /** Before a mark is read: a pin keeps what is live at its version, and later. It ends by itself. */
  private async hold(): Promise<void> {
    const nowMs = performance.now();
    if (this.held === null || nowMs - this.held.atMs > SHARED_FOR_MS) {
      const { catalog, log } = this.options;
      const done = catalog.holdFiles(HELD_FOR_MS + SHARED_FOR_MS).catch((error: unknown) => {
        // What is removed meanwhile is counted as missed.
        log(`pin for what arrives: ${describeError(error)}`);
      });
      this.held = { done, atMs: nowMs };
    }
    await this.held.done;
  }
}
