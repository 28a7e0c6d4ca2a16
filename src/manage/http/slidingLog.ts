import { ApiError } from "./errors.ts";

export interface Limit {
  count: number;
  windowMs: number;
}

/** Logs of so many names are held; the one that was silent longest is forgotten first. */
const MAX_LOGS = 10_000;

/** Counts requests by name in sliding windows, in this process. */
export class SlidingLog {
  private readonly logs = new Map<string, number[]>();

  /** Counts a request, or throws ApiError 429 with `Retry-After`; a refused one does not count. */
  check(name: string, limits: readonly Limit[], nowMs: number): void {
    this.require(name, limits, nowMs);
    this.count(name, limits, nowMs);
  }

  /** Throws ApiError 429 as `check`, and counts nothing. */
  require(name: string, limits: readonly Limit[], nowMs: number): void {
    const times = this.timesOf(name, nowMs);
    for (const { count, windowMs } of limits) {
      // The request that has to leave the window before another one fits in.
      const leaving = times[times.length - count];
      if (leaving !== undefined && leaving > nowMs - windowMs) throw throttled(leaving + windowMs - nowMs);
    }
  }

  /** Counts a request that was let through. */
  count(name: string, limits: readonly Limit[], nowMs: number): void {
    const longestMs = Math.max(...limits.map((limit) => limit.windowMs));
    const times = this.timesOf(name, nowMs).filter((at) => at > nowMs - longestMs);
    times.push(nowMs);
    this.logs.delete(name);
    this.logs.set(name, times);
    if (this.logs.size > MAX_LOGS) this.logs.delete(this.logs.keys().next().value!);
  }

  /** Without those from before the clock was put back: they would count until it comes there again. */
  private timesOf(name: string, nowMs: number): number[] {
    return (this.logs.get(name) ?? []).filter((at) => at <= nowMs);
  }

  /** Forgets the requests of a name. */
  forget(name: string): void {
    this.logs.delete(name);
  }
}

/** The refusal of a request that may be made again after a while. */
export function throttled(waitMs: number): ApiError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const detail = `Request was throttled. Expected available in ${seconds} seconds.`;
  return new ApiError(429, "throttled_error", "throttled", detail, null, { "Retry-After": String(seconds) });
}
