import { maskSecretsIn } from "../../metadata/mod.ts";
import type { ErrorType } from "../../openapi/mod.ts";
import { HogqlError } from "../../query/mod.ts";
import { describeError, RetryableError, WeirError } from "../../types/mod.ts";

/** A failure with its documented answer: `{type, code, detail, attr}`, and `extra` where there is more to say. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly type: ErrorType,
    readonly code: string,
    readonly detail: string,
    /** The field it is about; parts of a path joined by `__`. */
    readonly attr: string | null = null,
    readonly headers: Record<string, string> = {},
    readonly extra: Record<string, number | null> | null = null,
  ) {
    super(detail);
    this.name = "ApiError";
  }

  /** A key that a client put into a wrong place is not said back to it. */
  toResponse(): Response {
    const { type, code, attr, extra } = this;
    return Response.json(
      { type, code, detail: maskSecretsIn(this.detail), attr, ...(extra !== null && { extra }) },
      { status: this.status, headers: this.headers },
    );
  }
}

export const notAuthenticated = (detail = "Authentication credentials were not provided.") =>
  unauthorized("not_authenticated", detail);

/** For a session that is over, or never was; `cookie` takes it from the browser. */
export const sessionOver = (cookie: string) =>
  new ApiError(401, "authentication_error", "not_authenticated", "The session is over. Please log in again.", null, {
    "WWW-Authenticate": "Bearer",
    "Set-Cookie": cookie,
  });

/** For a request that a page of another origin may have made. */
export const csrfFailed = (reason: string) => permissionDenied(`CSRF Failed: ${reason}`);

/** For a body in which no key is looked for. */
export const keyNotLookedFor = (maxBytes: number) =>
  notAuthenticated(`A body larger than ${maxBytes} bytes needs its key in the Authorization header.`);

/** For an `Authorization` of another form. */
export const noBearer = () => notAuthenticated("The Authorization header must be: Bearer <personal API key>.");

/** `place`: where the key was found, e.g. "Authorization header"; `hint`: what to do, where the key shows that. */
export const authenticationFailed = (place: string, hint = "") =>
  unauthorized("authentication_failed", `Personal API key found in request ${place} is invalid.${hint}`);

const unauthorized = (code: string, detail: string) =>
  new ApiError(401, "authentication_error", code, detail, null, { "WWW-Authenticate": "Bearer" });

/** A project token that a request to this API names. */
export const unknownToken = () => unauthorized("authentication_failed", "No project has this token.");

export const permissionDenied = (detail: string) =>
  new ApiError(403, "authentication_error", "permission_denied", detail);

export const notFound = (detail = "Not found.") => new ApiError(404, "invalid_request", "not_found", detail);

export const parseError = (detail: string) => new ApiError(400, "invalid_request", "parse_error", detail);

export const invalidField = (attr: string | null, code: string, detail: string) =>
  new ApiError(400, "validation_error", code, detail, attr);

export const methodNotAllowed = (method: string, allowed: readonly string[]) =>
  new ApiError(405, "invalid_request", "method_not_allowed", `Method "${method}" not allowed.`, null, {
    Allow: allowed.join(", "),
  });

/** Something behind this API is away for the moment. */
const unavailable = (error: RetryableError) =>
  new ApiError(503, "server_error", error.code, "This cannot be answered at the moment, try again.", null, {
    "Retry-After": "1",
  });

/** Seconds that a client is asked to wait when all query processes are busy, or too many long answers are being read. */
const BUSY_RETRY_AFTER_S = 5;

const serverError = (code: string, detail = "A server error occurred.") =>
  new ApiError(500, "server_error", code, detail);

function busy(): ApiError {
  const detail = `Request was throttled. Expected available in ${BUSY_RETRY_AFTER_S} seconds.`;
  return new ApiError(429, "throttled_error", "throttled", detail, null, { "Retry-After": String(BUSY_RETRY_AFTER_S) });
}

/** With the place in the user's text: offsets of characters. */
function invalidHogql(error: WeirError): ApiError {
  const at = error instanceof HogqlError && error.start !== null ? { start: error.start, end: error.end } : null;
  return new ApiError(400, "validation_error", "invalid_input", error.message, null, {}, at);
}

/** What a failure of the parts behind this API means to its clients; anything else is a 500, or a 503 where trying again may help. */
const KNOWN_FAILURES: Record<string, (error: WeirError) => ApiError> = {
  invalid_query: (e) => parseError(e.message),
  invalid_hogql: (e) => invalidHogql(e),
  query_failed: (e) => invalidField(null, "invalid_input", e.message),
  result_too_large: (e) => invalidField(null, e.code, e.message),
  query_memory: (e) => invalidField(null, e.code, e.message),
  test_clock: (e) => new ApiError(400, "invalid_request", e.code, e.message),
  query_id_taken: (e) => invalidField("client_query_id", "invalid_input", e.message),
  query_cancelled: () => invalidField(null, "query_cancelled", "The query was cancelled."),
  query_timeout: (e) => new ApiError(504, "server_error", e.code, e.message),
  segment_unreadable: (e) => serverError(e.code, "Stored events cannot be read."),
  query_engine_failed: (e) => serverError(e.code),
  not_running: (e) => new ApiError(503, "server_error", e.code, "No front is known that takes events.", null, {}),
  queries_busy: busy,
  answers_busy: busy,
};

/** What a client is told of a failure behind this API; null where the reason is not for clients. */
export function knownFailure(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  return error instanceof WeirError ? (KNOWN_FAILURES[error.code]?.(error) ?? null) : null;
}

/** What a client is told of anything thrown; `log` gets what it is not told. */
export function apiErrorOf(error: unknown, log: (line: string) => void): ApiError {
  const known = knownFailure(error);
  if (known !== null) return known;
  if (error instanceof RetryableError) {
    log(`${error.code}: ${error.message}`);
    return unavailable(error);
  }
  log(error instanceof Error ? (error.stack ?? error.message) : describeError(error));
  return serverError("error");
}
