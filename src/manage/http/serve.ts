import { maskSecretsIn } from "../../metadata/mod.ts";
import { type JsonObject, testClockMs } from "../../types/mod.ts";
import type { ManageDeps } from "../deps.ts";
import { parseBody, readText } from "./body.ts";
import { toCsv } from "./csv.ts";
import { errorResponse, invalidField, methodNotAllowed, notFound } from "./errors.ts";
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
  const givenMs = testClockMs(request.headers, deps.config.testClock);
  const { manageBodyMaxBytes: maxBytes, jsonMaxDepth: maxDepth } = deps.config;
  let text: Promise<string> | undefined;
  let body: Promise<JsonObject> | undefined;
  const readOnce = (bytes: number) => {
    text ??= readText(request, bytes);
    return text;
  };
  const parse = async (bytes: number) => parseBody(await readOnce(bytes), { maxDepth });
  return {
    deps,
    request,
    url,
    params,
    query: url.searchParams,
    nowMs: givenMs ?? deps.now(),
    hasTestClock: givenMs !== null,
    bodyText: () => readOnce(maxBytes),
    body(o) {
      body ??= parse(o?.maxBytes ?? maxBytes);
      return body;
    },
  };
}

/** A route that has a form of its own in CSV reads `format` too. */
function readFormat(query: URLSearchParams): "json" | "csv" {
  const format = query.get("format") ?? "json";
  if (format === "json" || format === "csv") return format;
  throw notFound();
}
