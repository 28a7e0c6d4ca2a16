import type { Config } from "../../config.ts";
import { networkOf, RetryableError, TerminalError, uploadMs, type WeirError } from "../../types/mod.ts";
import type { ByteBudget, Reservation } from "./byteBudget.ts";

export type UploadLimits = Pick<Config, "addressMaxUploads" | "uploadMinBytesPerSecond" | "uploadGraceMs">;

/** Bodies that Bun collects by itself, which is faster but cannot be watched: of such a size each and together. */
const WHOLE_MAX_BYTES = 1280 * 1024;
const ALL_WHOLE_MAX_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 500;
/** Where there is no room, the slowest upload is ended, if it has taken this long and is slower than this. */
const SLOW_AFTER_MS = 1_000;
const SLOW_BYTES_PER_SECOND = 256 * 1024;

/** A body on its way in. */
export class Upload {
  receivedBytes = 0;
  readonly startedAtMs = performance.now();
  private ended: WeirError | null = null;
  private reject: ((error: WeirError) => void) | null = null;

  constructor(
    readonly reservation: Reservation,
    readonly address: string | null,
    /** Of a body that Bun collects by itself; 0 for one that comes in parts. */
    readonly wholeBytes: number,
  ) {}

  /** Counts bytes that have come. Throws as `Reservation.take`, and why the upload was ended. */
  received(bytes: number): void {
    this.reservation.take(bytes);
    this.receivedBytes += bytes;
    if (this.ended !== null) throw this.ended;
  }

  /**
   * What `reading` gives, unless the upload is ended before. Throws TerminalError `request_aborted` when it fails: the client
   * has gone away.
   */
  orEnd<T>(reading: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      reading.then(resolve, () => reject(stopped()));
    });
  }

  end(error: WeirError): void {
    this.ended = error;
    this.reservation.release();
    this.reject?.(error);
  }
}

/** The bodies on their way in: none may stand still, and those that hardly move make room for others. */
export class Uploads {
  private readonly running = new Set<Upload>();
  private wholeBytes = 0;
  private timer: Timer | undefined;

  constructor(
    private readonly limits: UploadLimits,
    budget: ByteBudget,
  ) {
    budget.makeRoom = () => this.endSlowest();
  }

  /**
   * For a body of `declaredBytes`, null when it does not say; `finish` must follow. Throws RetryableError
   * `too_many_from_address`.
   */
  begin(declaredBytes: number | null, address: string | null, reservation: Reservation): Upload {
    const network = networkOf(address);
    this.checkAddress(network);
    const isWhole =
      declaredBytes !== null &&
      declaredBytes <= WHOLE_MAX_BYTES &&
      this.wholeBytes + declaredBytes <= ALL_WHOLE_MAX_BYTES;
    const upload = new Upload(reservation, network, isWhole ? declaredBytes : 0);
    this.wholeBytes += upload.wholeBytes;
    this.running.add(upload);
    this.timer ??= setInterval(() => this.look(), LOOK_MS);
    return upload;
  }

  finish(upload: Upload): void {
    this.wholeBytes -= upload.wholeBytes;
    this.running.delete(upload);
  }

  private look(): void {
    const nowMs = performance.now();
    for (const upload of this.running) {
      const allowedMs = uploadMs(this.limits, upload.wholeBytes || upload.receivedBytes);
      if (nowMs - upload.startedAtMs > allowedMs) upload.end(stopped());
    }
    if (this.running.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private endSlowest(): boolean {
    const nowMs = performance.now();
    let slowest: Upload | null = null;
    let slowestRate = SLOW_BYTES_PER_SECOND;
    for (const upload of this.running) {
      const ageMs = nowMs - upload.startedAtMs;
      const rate = (upload.receivedBytes * 1000) / ageMs;
      if (upload.receivedBytes === 0 || ageMs < SLOW_AFTER_MS || rate >= slowestRate) continue;
      slowest = upload;
      slowestRate = rate;
    }
    if (slowest === null) return false;
    this.running.delete(slowest);
    slowest.end(
      new RetryableError("too_many_bytes_in_flight", "the body came too slowly while others waited, please retry"),
    );
    return true;
  }

  private checkAddress(address: string | null): void {
    const { addressMaxUploads } = this.limits;
    // Few are on their way at any time: they need not be counted.
    if (address === null || addressMaxUploads === 0 || this.running.size < addressMaxUploads) return;
    let count = 0;
    for (const upload of this.running) if (upload.address === address) count++;
    if (count < addressMaxUploads) return;
    throw new RetryableError(
      "too_many_from_address",
      "too many requests are on their way from this address, please retry",
    );
  }
}

function stopped(): TerminalError {
  return new TerminalError("request_aborted", "client stopped sending data");
}
