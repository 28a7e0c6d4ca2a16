import type { Api } from "./schema.ts";

export type Route = keyof Api;
export type Answer<R extends Route> = Api[R]["answer"];

/** What a route takes: `params` fill its path, `query` its query string. */
export type Options<R extends Route> = Api[R]["options"] & Manner;

interface Manner {
  signal?: AbortSignal;
  /** It is sent to its end although the tab is closed; for small bodies (browsers take 64 KiB of all such requests). */
  isLasting?: boolean;
}

/** A refusal or a failure of the API, in its own words. `status` 0: no answer came. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    /** The field that it is about. */
    readonly attr: string | null = null,
    readonly extra: Record<string, unknown> = {},
    /** Seconds after which trying again may help; null: it would not. */
    readonly retryAfterS: number | null = null,
  ) {
    super(detail);
  }
}

/** Asks a route of the management API with the session's cookie. Throws ApiError, and AbortError where the signal ends it. */
export async function call<R extends Route>(route: R, options: Options<R>): Promise<Answer<R>> {
  const response = await send(route, options as Plain);
  const body = await textOf(response, options);
  try {
    const answer: unknown = body === "" ? null : JSON.parse(body);
    // Whoever reads a 200 reads an object or a list.
    if (response.status !== 200 || (answer !== null && typeof answer === "object")) return answer as Answer<R>;
  } catch {
    // It is no JSON.
  }
  throw notWeirs(response);
}

/** The same where the answer is CSV. */
export async function callCsv<R extends Route>(route: R, options: Options<R>): Promise<string> {
  const response = await send(route, options as Plain);
  if (!response.headers.get("Content-Type")?.startsWith("text/csv")) throw notWeirs(response);
  return textOf(response, options);
}

const textOf = (response: Response, { signal }: Manner): Promise<string> => response.text().catch(noAnswer(signal));

const notWeirs = ({ status }: Response) =>
  new ApiError(status, "unreadable", "Something else answered in Weir's place. Is a proxy between?");

/** What is thrown where a request, or the answer to it, broke off. */
const noAnswer = (signal?: AbortSignal) => (error: unknown) => {
  if (signal?.aborted) throw error;
  throw new ApiError(0, "unreachable", "Weir does not answer. Is it running?", null, {}, 1);
};

interface Plain extends Manner {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
}

async function send(
  route: Route,
  { params = {}, query = {}, body, signal, isLasting = false }: Plain,
): Promise<Response> {
  const [method, template] = route.split(" ") as [string, string];
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const headers: Record<string, string> = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method !== "GET") headers["X-CSRFToken"] = csrfToken();
  const response = await fetch(path + queryString(query), {
    method,
    headers,
    signal,
    credentials: "same-origin",
    keepalive: isLasting,
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(noAnswer(signal));
  if (!response.ok) {
    const error = await errorOf(response);
    if (error.code === "not_authenticated" || error.code === "authentication_failed") sessionEnded();
    throw error;
  }
  return response;
}

let sessionEnded = () => {};

/** Has something done when an answer says that there is no session, or none any more. */
export function onSessionEnd(listener: () => void): void {
  sessionEnded = listener;
}

/** Undefined members are left out. */
function queryString(query: Record<string, unknown>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return "";
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
}

/** Bound to the session; another site cannot read it. Under https it has a name that no other site can set. */
function csrfToken(): string {
  const pairs = document.cookie.split("; ");
  const cookie = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  return cookie("__Host-weir_csrf") ?? cookie("weir_csrf") ?? "";
}

interface FailedQuery {
  query_status?: { error_message?: string | null };
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = ((await response.json().catch(() => null)) ?? {}) as Partial<ApiError> & FailedQuery;
  // A question that failed in the background says so in its status.
  const words = body.query_status?.error_message ?? `The answer was ${response.status}.`;
  const { code = "error", detail = words, attr = null, extra = {} } = body;
  const retryAfter = response.headers.get("Retry-After");
  return new ApiError(response.status, code, detail, attr, extra, retryAfter === null ? null : Number(retryAfter));
}
