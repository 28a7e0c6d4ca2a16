import type { IngestionWarning, OutgoingEvent, TeamCounts, WeirError } from "../../types/mod.ts";

/** One `publish` call. It is done when each of its parts is, and fails as a whole with the first that does. */
export class Request {
  readonly #outcome = Promise.withResolvers<void>();
  readonly #onSettled: (request: Request) => void;
  #partsLeft: number;
  #settled = false;
  #failed = false;

  constructor(
    parts: number,
    readonly sizeBytes: number,
    /** On the clock of `performance.now`; the request is given up when it is not acknowledged by then. */
    readonly deadlineMs: number,
    onSettled: (request: Request) => void,
  ) {
    this.#partsLeft = parts;
    this.#onSettled = onSettled;
  }

  get outcome(): Promise<void> {
    return this.#outcome.promise;
  }

  /** Parts of a failed request that still wait are not sent. */
  get hasFailed(): boolean {
    return this.#failed;
  }

  partDone(): void {
    if (--this.#partsLeft > 0 || this.#settled) return;
    this.#settle();
    this.#outcome.resolve();
  }

  fail(error: WeirError): void {
    if (this.#settled) return;
    this.#failed = true;
    this.#settle();
    this.#outcome.reject(error);
  }

  #settle(): void {
    this.#settled = true;
    this.#onSettled(this);
  }
}

/** The part of a request that falls into one partition. */
export interface Part {
  request: Request;
  teamId: number;
  events: OutgoingEvent[];
  /** Estimated, of the events that are not in a frame yet. */
  waitingBytes: number;
  /** Index of the first event that is not in a frame yet. */
  next: number;
  /** Counts of events set aside; they go with the part's first frame. */
  dropped: TeamCounts["dropped"] | null;
  /** Of the request; they go with the part's first frame. */
  warnings: IngestionWarning[];
  /** Called with the range of its events that a frame has stored, by index, and the frame's sequence. */
  onStored?: (from: number, to: number, sequence: number) => void;
}
