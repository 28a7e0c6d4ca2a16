import { REQUEST_ID_HEADER } from "../../types/mod.ts";

/** How long a browser may remember a preflight; browsers cut it to their own bounds. */
const PREFLIGHT_MAX_AGE_S = 86_400;
const EXPOSED = `Retry-After, ${REQUEST_ID_HEADER}`;

/**
 * Pages of any origin may send. The origin is mirrored, never `*`: browsers refuse that together with credentials,
 * which posthog-js asks for.
 */
export function withCors(request: Request, answer: Response): Response {
  if (!answer.headers.get("Vary")?.includes("Origin")) answer.headers.append("Vary", "Origin");
  const origin = request.headers.get("origin");
  if (origin === null) return answer;
  answer.headers.set("Access-Control-Allow-Origin", origin);
  answer.headers.set("Access-Control-Allow-Credentials", "true");
  // Without this a page's script cannot read how long a 503 asks it to wait, nor which request failed.
  answer.headers.set("Access-Control-Expose-Headers", EXPOSED);
  return answer;
}

/** The answer to a browser's preflight request, or null for any other request. */
export function preflight(request: Request): Response | null {
  const asked = request.headers.get("access-control-request-method");
  if (request.method !== "OPTIONS" || asked === null) return null;
  const answer = new Response(null, { headers: { "Access-Control-Allow-Methods": "GET, POST, OPTIONS" } });
  const headers = request.headers.get("access-control-request-headers");
  if (headers !== null) answer.headers.set("Access-Control-Allow-Headers", headers);
  answer.headers.set("Access-Control-Max-Age", String(PREFLIGHT_MAX_AGE_S));
  return withCors(request, answer);
}
