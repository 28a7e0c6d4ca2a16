import { type DiskRoom, diskRoom } from "../health/mod.ts";
import { RetryableError } from "../types/mod.ts";

/**
 * Watches the free space of the data folder, so that the front answers 503 before the broker or a file write fails:
 * a broker on a full disk switches its storage off.
 */
export class DiskGuard {
  /** As seen last. */
  room: DiskRoom = { freeBytes: Number.POSITIVE_INFINITY, totalBytes: 0 };

  constructor(
    private readonly directory: string,
    private readonly minFreeBytes: number,
  ) {}

  async look(): Promise<void> {
    this.room = await diskRoom(this.directory);
  }

  /** The error to answer with while too little disk is free, else null. */
  check(): RetryableError | null {
    if (this.room.freeBytes >= this.minFreeBytes) return null;
    return new RetryableError("disk_full", "the disk of the data folder is full");
  }
}
