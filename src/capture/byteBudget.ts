import { RetryableError } from "../types/mod.ts";

/** Bounds the bytes of all requests that one front works on at once; memory is a small multiple of it. */
export class ByteBudget {
  private takenBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get inflightBytes(): number {
    return this.takenBytes;
  }

  reserve(): Reservation {
    let ownBytes = 0;
    return {
      take: (bytes) => {
        // A request that is alone may exceed the bound, or one larger than it would never get through.
        if (this.takenBytes > ownBytes && this.takenBytes + bytes > this.maxBytes) {
          throw new RetryableError("too_many_bytes_in_flight", "too many requests are being worked on, please retry");
        }
        ownBytes += bytes;
        this.takenBytes += bytes;
      },
      release: () => {
        this.takenBytes -= ownBytes;
        ownBytes = 0;
      },
    };
  }
}

/** What one request holds of the budget. */
export interface Reservation {
  /** Throws RetryableError `too_many_bytes_in_flight` and takes nothing when the budget is used up. */
  take(bytes: number): void;
  /** Gives all of it back. */
  release(): void;
}
