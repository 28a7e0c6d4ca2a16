const MINUTE_MS = 60_000;

/** So many bytes a minute, on average: what is spent is waited for. */
export class IoBudget {
  private freeAtMs = 0;

  /** 0: nothing may be spent. */
  constructor(private readonly bytesPerMinute: number) {}

  isFree(nowMs: number): boolean {
    return this.bytesPerMinute > 0 && nowMs >= this.freeAtMs;
  }

  spend(bytes: number, nowMs: number): void {
    this.freeAtMs = Math.max(this.freeAtMs, nowMs) + (bytes / this.bytesPerMinute) * MINUTE_MS;
  }
}
