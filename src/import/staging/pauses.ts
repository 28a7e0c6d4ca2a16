const SECOND_MS = 1_000;
const LONGEST_MS = 15 * 60 * SECOND_MS;

/** How an answer failed: its status, or null where there was none or it ended early. */
export interface Failure {
  status: number | null;
  /** The header `Retry-After`. */
  retryAfter: string | null;
}

/**
 * How long to wait before the next try; `tries` have failed. As the answer says, in seconds or as a date; else twice as long each time:
 * from a second on, from a minute on where there were too many requests; a quarter of an hour at most.
 */
export function pauseMs({ status, retryAfter }: Failure, tries: number, nowMs: number): number {
  const told = toldMs(retryAfter, nowMs);
  if (told !== null) return Math.min(told, 4 * LONGEST_MS);
  const firstMs = status === 429 ? 60 * SECOND_MS : SECOND_MS;
  return Math.min(firstMs * 2 ** (tries - 1), LONGEST_MS);
}

function toldMs(retryAfter: string | null, nowMs: number): number | null {
  if (retryAfter === null) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * SECOND_MS;
  const atMs = Date.parse(retryAfter);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}
