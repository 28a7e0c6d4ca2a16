import type { Config } from "../config.ts";
import { RetryableError, TerminalError, type WeirError } from "../types/mod.ts";
import type { ByteBudget, Reservation } from "./byteBudget.ts";

export type UploadLimits = Pick<Config, "addressMaxUploads" | "uploadMinBytesPerSecond" | "uploadGraceMs">;

/** Bodies that Bun collects by itself, which is faster but cannot be watched: of such a size each and together. */
const WHOLE_MAX_BYTES = 1280 * 1024;
const ALL_WHOLE_MAX_BYTES = 32 * 1024 * 1024;
const LOOK_MS = 500;
/** Where there is no room, the slowest body gives way that has been on its way for so long and is slower than that. */
const SLOW_AFTER_MS = 1_000;
const SLOW_BYTES_PER_SECOND = 256 * 1024;

/** A body on its way in. */
export class Upload {
  receivedBytes = 0;
  private ended: WeirError | null = null;
  private reject: ((error: WeirError) => void) | null = null;

  constructor(
    readonly reservation: Reservation,
    readonly address: string | null,
    /** When it must be here, on the clock of `performance.now`, if Bun collects it; else null. */
    readonly wholeByMs: number | null,
    readonly startedAtMs: number,
  ) {}

  /** Counts bytes that have come. Throws as `Reservation.take`, and why the upload was ended. */
  received(bytes: number): void {
    this.reservation.take(bytes);
    this.receivedBytes += bytes;
    if (this.ended !== null) throw this.ended;
  }

  /** What `reading` gives, unless the upload is ended before. */
  orEnd<T>(reading: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      reading.then(resolve, reject);
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
  private readonly byAddress = new Map<string, number>();
  private wholeBytes = 0;
  private timer: Timer | undefined;

  constructor(
    private readonly limits: UploadLimits,
    budget: ByteBudget,
  ) {
    budget.makeRoom = () => this.endSlowest();
  }

  /**
   * Reads a body of `declaredBytes`, null when it does not say, by `whole` or `parts`. Throws RetryableError
   * `too_many_from_address` | `too_many_bytes_in_flight`, TerminalError `request_aborted` when it is too slow.
   */
  async run<T>(
    o: { declaredBytes: number | null; address: string | null; reservation: Reservation },
    read: (upload: Upload, isWhole: boolean) => Promise<T>,
  ): Promise<T> {
    this.countOfAddress(o.address, 1);
    const nowMs = performance.now();
    const isWhole =
      o.declaredBytes !== null &&
      o.declaredBytes <= WHOLE_MAX_BYTES &&
      this.wholeBytes + o.declaredBytes <= ALL_WHOLE_MAX_BYTES;
    const wholeBytes = isWhole ? o.declaredBytes! : 0;
    const upload = new Upload(o.reservation, o.address, isWhole ? nowMs + this.allowedMs(wholeBytes) : null, nowMs);
    this.wholeBytes += wholeBytes;
    this.running.add(upload);
    this.timer ??= setInterval(() => this.look(), LOOK_MS);
    try {
      return await read(upload, isWhole);
    } finally {
      this.wholeBytes -= wholeBytes;
      this.running.delete(upload);
      this.countOfAddress(o.address, -1);
    }
  }

  /** How long so many bytes may take. */
  private allowedMs(bytes: number): number {
    const { uploadGraceMs, uploadMinBytesPerSecond } = this.limits;
    return (
      uploadGraceMs +
      (uploadMinBytesPerSecond === 0 ? Number.POSITIVE_INFINITY : (bytes * 1000) / uploadMinBytesPerSecond)
    );
  }

  private look(): void {
    const nowMs = performance.now();
    for (const upload of this.running) {
      const untilMs = upload.wholeByMs ?? upload.startedAtMs + this.allowedMs(upload.receivedBytes);
      if (nowMs > untilMs) upload.end(tooSlow());
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

  private countOfAddress(address: string | null, change: 1 | -1): void {
    const { addressMaxUploads } = this.limits;
    if (address === null || addressMaxUploads === 0) return;
    const count = (this.byAddress.get(address) ?? 0) + change;
    if (count > addressMaxUploads && change > 0) {
      throw new RetryableError(
        "too_many_from_address",
        "too many requests are on their way from this address, please retry",
      );
    }
    if (count === 0) this.byAddress.delete(address);
    else this.byAddress.set(address, count);
  }
}

function tooSlow(): TerminalError {
  return new TerminalError("request_aborted", "client stopped sending data");
}
