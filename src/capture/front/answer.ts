import { TerminalError, WeirError } from "../../types/mod.ts";

/** What a client may have done wrong, by error code. Any other terminal error is our own fault. */
const CLIENT_FAULTS: Record<string, number> = {
  invalid_payload: 400,
  empty_batch: 400,
  test_clock: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  payload_too_large: 413,
};

const RETRY_AFTER_S = 2;

export function accepted(): Response {
  return Response.json({ status: "Ok" });
}

/** For a beacon. To anything else it would be a failure: posthog-js takes 200 alone for success. */
export function acceptedSilently(): Response {
  return new Response(null, { status: 204 });
}

/** `allowed` as in the header `Allow`. */
export function methodNotAllowed(allowed: string): Response {
  const answer = failure(405, "method_not_allowed", `only ${allowed} is allowed here`);
  answer.headers.set("Allow", allowed);
  return answer;
}

/** The answer to a request that failed with `error`: 4xx for a fault of the client, 503 when it may pass later, else 500. */
export function answerTo(error: unknown): Response {
  if (error instanceof WeirError && error.retryable) {
    const answer = failure(503, error.code, error.message);
    answer.headers.set("Retry-After", String(RETRY_AFTER_S));
    return answer;
  }
  if (error instanceof TerminalError && error.code === STOPPED) return stopped(error.message);
  const status = error instanceof TerminalError ? CLIENT_FAULTS[error.code] : undefined;
  if (status === undefined) return failure(500, "internal_error", "the request could not be processed");
  return failure(status, (error as TerminalError).code, (error as TerminalError).message);
}

const STOPPED = "request_aborted";

/** A plain sentence, as PostHog's. The rest of the body is not read, so the connection is closed. */
function stopped(message: string): Response {
  return new Response(message, {
    status: 408,
    headers: { "Content-Type": "text/plain; charset=utf-8", Connection: "close" },
  });
}

function failure(status: number, code: string, detail: string): Response {
  const type = status === 401 ? "authentication_error" : status < 500 ? "validation_error" : "server_error";
  return Response.json({ type, code, detail, attr: null }, { status });
}
