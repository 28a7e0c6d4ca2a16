import { pause } from "../../types/mod.ts";
import type { TellWait, WeirClient } from "./weir.ts";

/** Events of the project that may wait in the queue before sending pauses, and how few there must be to go on. */
const QUEUED_MAX = 1_000_000;
const QUEUED_AGAIN = 500_000;
const LOOK_MS = 1_000;

/** By what the front of a Weir judges events. */
export interface FrontFacts {
  event_max_bytes: number;
  json_max_depth: number;
}

/** As `ingestion_status/` tells, as far as it is needed. */
export interface IngestionStatus {
  accepted: number;
  queued: number;
  stored: number;
  duplicates: number;
  dropped: number;
  dead_letters: number;
  lag_ms: number;
  /** Absent in answers of old versions. */
  front?: FrontFacts;
}

/** Looks at the queue of the project, so that an import does not fill what all projects share. */
export class Pressure {
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  private looking: Promise<void> | null = null;
  /** The newest answer. */
  status: IngestionStatus | null = null;

  constructor(
    private readonly weir: WeirClient,
    private readonly signal: AbortSignal,
    private readonly tellWait: TellWait,
  ) {}

  async look(): Promise<IngestionStatus> {
    this.status = await this.weir.ask<IngestionStatus>("GET", "ingestion_status/");
    this.lookedAtMs = performance.now();
    return this.status;
  }

  /** Resolves when more may be sent. */
  async room(): Promise<void> {
    if (performance.now() - this.lookedAtMs > LOOK_MS) {
      this.looking ??= this.look().then(
        () => this.ended(),
        () => this.ended(),
      );
    }
    if ((this.status?.queued ?? 0) <= QUEUED_MAX) return;
    this.tellWait(`${this.status!.queued} events wait in the queue of the Weir`);
    while (this.status!.queued > QUEUED_AGAIN) {
      await pause(LOOK_MS, this.signal);
      await this.look();
    }
    this.tellWait(null);
  }

  private ended(): void {
    this.looking = null;
  }
}
