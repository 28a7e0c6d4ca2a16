import type { Config } from "../../config.ts";
import { networkOf, RetryableError } from "../../types/mod.ts";

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
    return new Reservation(this, networkOf(address));
  }

  /** For a reservation: it is to hold `sizeBytes`, `uncheckedBytes` of them in the share of those that are not checked. */
  admit(held: Reservation, sizeBytes: number, uncheckedBytes: number): void {
    const share = sizeBytes <= SMALL_BYTES ? 1 : OF_LARGE;
    while (!this.fits(held.sizeBytes, sizeBytes, share)) if (!this.makeRoom()) throw tooMany();
    if (uncheckedBytes === 0) return;
    while (!this.fitsUnchecked(held.uncheckedBytes, uncheckedBytes)) if (!this.makeRoom()) throw tooMany();
    if (this.fitsOfAddress(held.address, held.uncheckedBytes, uncheckedBytes)) return;
    throw new RetryableError("too_many_from_address", "too much is on its way from this address, please retry");
  }

  /** For a reservation: what it holds changes by so much. */
  add(address: string | null, bytes: number, uncheckedBytes: number): void {
    this.takenBytes += bytes;
    if (uncheckedBytes === 0) return;
    this.uncheckedBytes += uncheckedBytes;
    if (address === null) return;
    const sumBytes = (this.uncheckedByAddress.get(address) ?? 0) + uncheckedBytes;
    if (sumBytes === 0) this.uncheckedByAddress.delete(address);
    else this.uncheckedByAddress.set(address, sumBytes);
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
}

function tooMany(): RetryableError {
  return new RetryableError("too_many_bytes_in_flight", "too many requests are being worked on, please retry");
}

/** What one request holds of the budget. */
export class Reservation {
  sizeBytes = 0;
  /** What of them is counted in the share of those whose key is not checked. */
  uncheckedBytes = 0;
  private isChecked = false;

  constructor(
    private readonly budget: ByteBudget,
    readonly address: string | null,
  ) {}

  /**
   * Throws RetryableError `too_many_bytes_in_flight` or `too_many_from_address`, and takes nothing, when the budget is
   * used up.
   */
  take(bytes: number): void {
    const sizeBytes = this.sizeBytes + bytes;
    this.hold(sizeBytes, this.isChecked || sizeBytes <= SMALL_BYTES ? 0 : sizeBytes);
  }

  /** As `take`, for what reading has added to the bytes as sent: the key is known then, and about to be checked. */
  takeRead(bytes: number): void {
    if (bytes > 0) this.hold(this.sizeBytes + bytes, this.uncheckedBytes);
  }

  /** The request's project key is known to be good: its bytes leave the share of unchecked requests. */
  check(): void {
    this.isChecked = true;
    if (this.uncheckedBytes > 0) this.set(this.sizeBytes, 0);
  }

  /** Gives all of it back. */
  release(): void {
    this.set(0, 0);
  }

  private hold(sizeBytes: number, uncheckedBytes: number): void {
    this.budget.admit(this, sizeBytes, uncheckedBytes);
    this.set(sizeBytes, uncheckedBytes);
  }

  private set(sizeBytes: number, uncheckedBytes: number): void {
    this.budget.add(this.address, sizeBytes - this.sizeBytes, uncheckedBytes - this.uncheckedBytes);
    this.sizeBytes = sizeBytes;
    this.uncheckedBytes = uncheckedBytes;
  }
}
