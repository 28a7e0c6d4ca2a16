import type { ManageDeps } from "../deps.ts";
import { type Body, readBody } from "./body.ts";
import { ApiError, errorResponse, invalidField, notFound } from "./errors.ts";
import { guard } from "./guard.ts";
import type { OpenCall, Route } from "./route.ts";

/** Answers one request to a route; never throws. */
export async function serve(
  route: Route,
  deps: ManageDeps,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  try {
    const call = openCall(deps, request, params);
    if (route.confinement === "open") return await route.handle(call);
    const handle = await guard(route, call);
    checkFormat(call.query);
    return await handle();
  } catch (error) {
    return errorResponse(error, (line) => deps.log(`${route.method} ${route.path}: ${line}`));
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

function checkFormat(query: URLSearchParams): void {
  const format = query.get("format");
  if (format === null || format === "json") return;
  if (format !== "csv") throw notFound();
  throw invalidField("format", "invalid_choice", "The format csv is not available here; use json.");
}
