import type { Config } from "../config.ts";
import { RetryableError } from "../types/mod.ts";

export type BudgetLimits = Pick<Config, "inflightMaxBytes" | "uncheckedMaxBytes" | "addressMaxBytes">;

/** Requests up to this size are counted, but never wait for larger ones: a part of the budget is theirs alone. */
export const SMALL_BYTES = 64 * 1024;
const OF_LARGE = 7 / 8;

/**
 * Bounds the bytes of all requests that one front works on at once; memory is a small multiple of it. A share of it is for
 * large requests whose key is not checked yet, and a share of that for those of one client address.
 */
export class ByteBudget {
  private takenBytes = 0;
  private uncheckedBytes = 0;
  private readonly uncheckedByAddress = new Map<string, number>();
  /** Asked when there is no room: ends a request that hardly moves, and gives whether there was one. */
  makeRoom: () => boolean = () => false;

  constructor(private readonly limits: BudgetLimits) {}

  get inflightBytes(): number {
    return this.takenBytes;
  }

  /** For one request; `address` is its client's, null when not known. */
  reserve(address: string | null): Reservation {
    let ownBytes = 0;
    let isChecked = false;
    /** What of them is counted in the share of those that are not checked. */
    let uncheckedBytes = 0;
    const setUnchecked = (bytes: number) => {
      this.uncheckedBytes += bytes - uncheckedBytes;
      if (address !== null) this.addOfAddress(address, bytes - uncheckedBytes);
      uncheckedBytes = bytes;
    };
    return {
      take: (bytes) => {
        const sizeBytes = ownBytes + bytes;
        const isSmall = sizeBytes <= SMALL_BYTES;
        while (!this.fits(ownBytes, sizeBytes, isSmall ? 1 : OF_LARGE)) if (!this.makeRoom()) throw tooMany();
        if (!isSmall && !isChecked) {
          while (!this.fitsUnchecked(uncheckedBytes, sizeBytes)) if (!this.makeRoom()) throw tooMany();
          if (!this.fitsOfAddress(address, uncheckedBytes, sizeBytes)) {
            throw new RetryableError("too_many_from_address", "too much is on its way from this address, please retry");
          }
          setUnchecked(sizeBytes);
        }
        this.takenBytes += sizeBytes - ownBytes; // its own may have been given back to make room
        ownBytes = sizeBytes;
      },
      check: () => {
        isChecked = true;
        if (uncheckedBytes > 0) setUnchecked(0);
      },
      release: () => {
        this.takenBytes -= ownBytes;
        ownBytes = 0;
        if (uncheckedBytes > 0) setUnchecked(0);
      },
    };
  }

  // A request that is alone may exceed each bound, or one larger than it would never get through.

  private fits(ownBytes: number, sizeBytes: number, share: number): boolean {
    const otherBytes = this.takenBytes - ownBytes;
    return otherBytes === 0 || otherBytes + sizeBytes <= this.limits.inflightMaxBytes * share;
  }

  private fitsUnchecked(ownBytes: number, sizeBytes: number): boolean {
    const otherBytes = this.uncheckedBytes - ownBytes;
    return otherBytes === 0 || otherBytes + sizeBytes <= this.limits.uncheckedMaxBytes;
  }

  private fitsOfAddress(address: string | null, ownBytes: number, sizeBytes: number): boolean {
    const { addressMaxBytes } = this.limits;
    if (address === null || addressMaxBytes === 0) return true;
    const otherBytes = (this.uncheckedByAddress.get(address) ?? 0) - ownBytes;
    return otherBytes === 0 || otherBytes + sizeBytes <= addressMaxBytes;
  }

  private addOfAddress(address: string, bytes: number): void {
    const sumBytes = (this.uncheckedByAddress.get(address) ?? 0) + bytes;
    if (sumBytes === 0) this.uncheckedByAddress.delete(address);
    else this.uncheckedByAddress.set(address, sumBytes);
  }
}

function tooMany(): RetryableError {
  return new RetryableError("too_many_bytes_in_flight", "too many requests are being worked on, please retry");
}

/** What one request holds of the budget. */
export interface Reservation {
  /**
   * Throws RetryableError `too_many_bytes_in_flight` or `too_many_from_address`, and takes nothing, when the budget is
   * used up.
   */
  take(bytes: number): void;
  /** The request's project key is known to be good: it needs the share of the others no longer. */
  check(): void;
  /** Gives all of it back. */
  release(): void;
}
