import { createHmac } from "node:crypto";
import { equalSecrets } from "../../metadata/mod.ts";
import { csrfFailed } from "../http/errors.ts";
import { hostOf } from "../http/link.ts";
import type { OpenCall } from "./route.ts";

const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];
/** As PostHog's pages call it. */
const CSRF_HEADER = "X-CSRFToken";

/** The token that pages of a session send with every method that changes something: bound to the session, and worth nothing alone. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac("sha256", sessionToken).update("csrf").digest("base64url");
}

/**
 * Throws ApiError 403 for a request of a session that may change something, unless a page of this origin has made it, and for one
 * that only reads where a page of another origin has put it into itself.
 */
export function requireOwnPage(call: OpenCall, sessionToken: string): void {
  if (SAFE_METHODS.includes(call.request.method)) {
    requireNotEmbedded(call);
    return;
  }
  if (requireOwnOrigin(call) === "unknown") throw csrfFailed("Origin checking failed - no Origin.");
  const given = call.request.headers.get(CSRF_HEADER);
  if (given === null) throw csrfFailed("CSRF token missing.");
  if (!equalSecrets(given, csrfTokenOf(sessionToken))) {
    throw csrfFailed(`CSRF token from the '${CSRF_HEADER}' HTTP header incorrect.`);
  }
}

/**
 * Browsers send the cookie with images and scripts of pages of the same site, too: another port, a sibling of the host. They cannot
 * read the answer, but could have things calculated, and see how long that takes. A link that is followed may lead here.
 */
function requireNotEmbedded({ request: { headers } }: OpenCall): void {
  const site = headers.get("sec-fetch-site") ?? "none";
  if (site === "same-origin" || site === "none") return;
  if (headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document") return;
  throw csrfFailed(`a ${site} page cannot use the session.`);
}

/**
 * Throws ApiError 403 for a request that a page of another origin has made. Gives whether the browser has said that it is its own;
 * programs that are no browsers say nothing.
 */
export function requireOwnOrigin({ request, deps }: OpenCall): "own" | "unknown" {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const isOwn = site === null ? origin !== null && isOwnHost(origin, request, deps.config) : site === "same-origin";
  if (isOwn) return "own";
  if (site === null && origin === null) return "unknown";
  throw csrfFailed(`Origin checking failed - ${origin ?? `a ${site} request`} does not match any trusted origins.`);
}

/** Only the host: behind a proxy the scheme of the request is not known. */
function isOwnHost(origin: string, request: Request, config: OpenCall["deps"]["config"]): boolean {
  const from = URL.parse(origin);
  if (from === null || (from.protocol !== "http:" && from.protocol !== "https:")) return false;
  const hosts = [hostOf(request, config), config.publicUrl === null ? null : new URL(config.publicUrl)];
  // Each in the scheme of the origin, so that its default port is left out.
  return hosts.some((host) => host !== null && URL.parse(`${from.protocol}//${host.host}`)?.host === from.host);
}
