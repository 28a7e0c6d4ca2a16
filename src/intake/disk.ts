import { statfs } from "node:fs/promises";
import { RetryableError } from "../types/mod.ts";

/**
 * Watches the free space of the data folder, so that the front answers 503 before the broker or a file write fails:
 * a broker on a full disk switches its storage off.
 */
export class DiskGuard {
  private freeBytes = Number.POSITIVE_INFINITY;

  constructor(
    private readonly directory: string,
    private readonly minFreeBytes: number,
  ) {}

  async look(): Promise<void> {
    const stats = await statfs(this.directory);
    this.freeBytes = stats.bavail * stats.bsize;
  }

  /** The error to answer with while too little disk is free, else null. */
  check(): RetryableError | null {
    if (this.freeBytes >= this.minFreeBytes) return null;
    return new RetryableError("disk_full", "the disk of the data folder is full");
  }
}
