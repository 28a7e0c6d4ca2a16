import { maskSecretsIn } from "../../metadata/mod.ts";
import type { ManageDeps } from "../deps.ts";
import { type Body, readBody } from "./body.ts";
import { toCsv } from "./csv.ts";
import { ApiError, errorResponse, invalidField, methodNotAllowed, notFound } from "./errors.ts";
import { authenticate, guard } from "./guard.ts";
import type { RateLimits } from "./rateLimits.ts";
import type { OpenCall, Route } from "./route.ts";

/** Answers one request to a route; never throws. `limits`: null where keys may ask as often as they like. */
export async function serve(
  route: Route,
  deps: ManageDeps,
  limits: RateLimits | null,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  try {
    const call = openCall(deps, request, params);
    if (route.confinement === "open") return await route.handle(call);
    const { keyId, handle } = await guard(route, call);
    await limits?.check(route, call, keyId, deps.now());
    const format = readFormat(call.query);
    const response = await handle();
    return format === "csv" ? await toCsv(response) : response;
  } catch (error) {
    return errorResponse(error, (line) => deps.log(maskSecretsIn(`${route.method} ${route.path}: ${line}`)));
  }
}

/**
 * Answers a method that the routes of a path do not have: 405, after the question who asks. OPTIONS is told which there
 * are. Never throws.
 */
export async function refuseMethod(
  routes: readonly Route[],
  deps: ManageDeps,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const allowed = [...routes.map((route) => route.method), "OPTIONS"];
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: { Allow: allowed.join(", ") } });
  try {
    if (routes.every((route) => route.confinement !== "open")) await authenticate(openCall(deps, request, params));
    throw methodNotAllowed(request.method, allowed);
  } catch (error) {
    return errorResponse(error, deps.log);
  }
}

function openCall(deps: ManageDeps, request: Request, params: Record<string, string>): OpenCall {
  const url = new URL(request.url);
  for (const [name, value] of url.searchParams) {
    if (value.includes("\0"))
      throw invalidField(name, "null_characters_not_allowed", "Null characters are not allowed.");
  }
  const testClockMs = readTestClock(deps, request);
  const limits = { maxBytes: deps.config.manageBodyMaxBytes, maxDepth: deps.config.jsonMaxDepth };
  let body: Promise<Body> | undefined;
  const read = () => {
    body ??= readBody(request, limits);
    return body;
  };
  return {
    deps,
    request,
    url,
    params,
    query: url.searchParams,
    nowMs: testClockMs ?? deps.now(),
    hasTestClock: testClockMs !== null,
    body: async () => (await read()).value,
    bodyText: async () => (await read()).text,
  };
}

/** `X-Weir-Now` stands for the clock where the setting allows it, and is refused elsewhere. */
function readTestClock(deps: ManageDeps, request: Request): number | null {
  const header = request.headers.get("x-weir-now");
  if (header === null) return null;
  const refuse = (detail: string) => new ApiError(400, "invalid_request", "test_clock", detail);
  if (!deps.config.testClock) throw refuse("X-Weir-Now is accepted with WEIR_TEST_CLOCK=1 only.");
  // A time without a zone would mean that of the server.
  const isZoned = /(Z|[+-]\d{2}:?\d{2})$/i.test(header) || /^\d{4}-\d{2}-\d{2}$/.test(header);
  const nowMs = Date.parse(isZoned ? header : `${header}Z`);
  if (Number.isNaN(nowMs)) throw refuse("X-Weir-Now must be an ISO 8601 time.");
  return nowMs;
}

/** A route that has a form of its own in CSV reads `format` too. */
function readFormat(query: URLSearchParams): "json" | "csv" {
  const format = query.get("format") ?? "json";
  if (format === "json" || format === "csv") return format;
  throw notFound();
}
