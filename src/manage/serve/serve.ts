import { maskSecretsIn } from "../../metadata/mod.ts";
import { type JsonObject, requestIdOf, TerminalError, testClockMs } from "../../types/mod.ts";
import { parseBody, readText } from "../http/body.ts";
import { toCsv } from "../http/csv.ts";
import { apiErrorOf, invalidField, methodNotAllowed, notFound } from "../http/errors.ts";
import { linkUrl } from "../http/link.ts";
import { packed } from "../http/packed.ts";
import { GUARDED_QUERY, Query, type QueryParameters } from "../http/query.ts";
import { endStream, isStreamed } from "../http/reply.ts";
import { authenticate } from "./authenticate.ts";
import type { ManageDeps } from "./deps.ts";
import { declaredQuery } from "./describe.ts";
import { guard } from "./guard.ts";
import type { LinkLimits } from "./linkLimits.ts";
import type { RateLimits } from "./rateLimits.ts";
import { isOffered, type OpenCall, type Route } from "./route.ts";

/** Taken in place of the slash at the end of a path. */
export const CSV_SUFFIX = ".csv";

/** What a request is measured by. */
export interface Limits {
  /** Null where keys may ask as often as they like. */
  keys: RateLimits | null;
  links: LinkLimits;
}

/** A request to a path of the API. */
interface Incoming {
  request: Request;
  params: Record<string, string>;
  /** Of the client; null where it is not known. */
  address(): string | null;
}

/** Answers one request to a route; never throws. */
export async function serve(route: Route, deps: ManageDeps, limits: Limits, incoming: Incoming): Promise<Response> {
  const { request } = incoming;
  const log = (line: string) => deps.log(maskSecretsIn(`${route.method} ${route.path}: ${line}`), requestIdOf(request));
  return answering(log, async () => {
    const call = openCall(deps, incoming, declaredQuery(route));
    const checkLink = (token: string, times = 1) => limits.links.check(token, call.address(), deps.now(), times);
    if (route.confinement === "open") {
      if (route.linkParam !== undefined) checkLink(call.params[route.linkParam] ?? "", route.linkTimes?.(call.query));
      const opened = await route.handle(call);
      return route.linkParam === undefined || isStreamed(opened) ? opened : packed(request, opened);
    }
    readSuffix(route, call);
    const { keyId, link, handle } = await guard(route, call);
    if (link !== undefined) checkLink(link);
    if (keyId !== null) await limits.keys?.check(route, call, keyId, deps.now());
    const format = readFormat(call.query);
    const response = await handle();
    if (isStreamed(response)) return sent(response, format, request.signal);
    const shown = format === "csv" ? await toCsv(response) : response;
    return keyId === null ? packed(request, shown) : shown;
  });
}

/** For a path that there is not. */
export function refusePath(): Promise<Response> {
  return answering(
    () => {},
    () => Promise.reject(notFound()),
  );
}

/** What `answer` gives or throws, as an answer that is not cached, and whose type is not guessed. */
async function answering(log: (line: string) => void, answer: () => Promise<Response>): Promise<Response> {
  const response = await answer().catch((error: unknown) => apiErrorOf(error, log).toResponse());
  response.headers.set("X-Content-Type-Options", "nosniff");
  if (!response.headers.has("Cache-Control")) response.headers.set("Cache-Control", "no-store");
  return response;
}

/** An answer that is made while it is sent ends with its request. A whole object of many megabytes is not made into a table. */
async function sent(response: Response, format: "json" | "csv", signal: AbortSignal): Promise<Response> {
  const isTable = response.headers.get("content-type")?.startsWith("text/csv") ?? false;
  const isRefused = format === "csv" && !isTable;
  if (isRefused || signal.aborted) await endStream(response);
  else signal.addEventListener("abort", () => void endStream(response), { once: true });
  if (isRefused) throw new TerminalError("result_too_large", "the answer is too large to be made into CSV");
  return response;
}

/**
 * Answers a method that the routes of a path do not have: 405, once the caller is known. OPTIONS gets their names. Never throws.
 */
export async function refuseMethod(routes: readonly Route[], deps: ManageDeps, incoming: Incoming): Promise<Response> {
  const { request } = incoming;
  const allowed = [...routes.filter(isOffered).map((route) => route.method), "OPTIONS"];
  const log = (line: string) => deps.log(line, requestIdOf(request));
  return answering(log, async () => {
    if (request.method === "OPTIONS")
      return new Response(null, { status: 204, headers: { Allow: allowed.join(", ") } });
    if (routes.every((route) => route.confinement !== "open"))
      await authenticate(openCall(deps, incoming, GUARDED_QUERY));
    throw methodNotAllowed(request.method, allowed);
  });
}

function openCall(deps: ManageDeps, { request, params, address }: Incoming, declared: QueryParameters): OpenCall {
  const { searchParams } = new URL(request.url);
  for (const [name, value] of searchParams) {
    if (value.includes("\0"))
      throw invalidField(name, "null_characters_not_allowed", "Null characters are not allowed.");
  }
  const givenMs = testClockMs(request.headers, deps.config.testClock);
  const { manageBodyMaxBytes: maxBytes, jsonMaxDepth: maxDepth } = deps.config;
  let text: Promise<string> | undefined;
  let body: Promise<JsonObject> | undefined;
  const readOnce = (bytes: number) => {
    text ??= readText(request, bytes, deps.config);
    return text;
  };
  const parse = async (bytes: number) => parseBody(await readOnce(bytes), { maxDepth });
  return {
    deps,
    request,
    url: linkUrl(request, deps.config),
    params,
    query: new Query(declared, searchParams),
    nowMs: givenMs ?? deps.now(),
    hasTestClock: givenMs !== null,
    address,
    bodyText: () => readOnce(maxBytes),
    body(o) {
      body ??= parse(o?.maxBytes ?? maxBytes);
      return body;
    },
  };
}

const ID_WITH_SUFFIX = /^(\d+|[\da-f-]{36})\.csv$/i;

/** `….csv` in place of the slash at the end asks for `format=csv`. A name that ends so stays a name. */
function readSuffix(route: Route, { request, params, query }: OpenCall): void {
  if (route.method !== "GET" || !new URL(request.url).pathname.endsWith(CSV_SUFFIX)) return;
  const parameter = /:(\w+)\/$/.exec(route.path)?.[1];
  const id = parameter === undefined ? undefined : ID_WITH_SUFFIX.exec(params[parameter] ?? "")?.[1];
  if (parameter !== undefined && id === undefined) return;
  if (parameter !== undefined && id !== undefined) params[parameter] = id;
  query.set("format", "csv");
}

/** A route that has a form of its own in CSV reads `format` too. */
function readFormat(query: Query): "json" | "csv" {
  const format = query.get("format") ?? "json";
  if (format === "json" || format === "csv") return format;
  throw notFound();
}
