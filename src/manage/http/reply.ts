import { jsonText } from "../../query/mod.ts";

/** A JSON answer. */
export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status });
}

/** The same where the answer may be of many megabytes. */
export async function longJson(value: object, status = 200): Promise<Response> {
  return new Response(await jsonText(value), { status, headers: { "Content-Type": "application/json;charset=utf-8" } });
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
