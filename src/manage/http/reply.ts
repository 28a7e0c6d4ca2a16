/** A JSON answer. */
export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status });
}

/** An answer without a body. */
export function empty(status: number): Response {
  return new Response(null, { status });
}

/** ISO 8601 in UTC, or null. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
