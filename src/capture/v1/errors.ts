import { TerminalError, WeirError } from "../../types/mod.ts";

/** The reasons for which a whole request is refused, by code; part of the API. */
const STATUS: Record<string, number> = {
  missing_required_headers: 400,
  invalid_header_value: 400,
  request_decoding_error: 400,
  request_parsing_error: 400,
  empty_body: 400,
  empty_batch: 400,
  invalid_batch: 400,
  missing_event_uuid: 400,
  duplicate_event_uuid: 400,
  test_clock: 400,
  invalid_api_token: 401,
  request_aborted: 408,
  payload_too_large: 413,
  unsupported_content_type: 415,
  unsupported_encoding: 415,
};

/** The codes that the parts shared with the other paths use for it. */
const OTHER_NAMES: Record<string, string> = {
  missing_api_key: "invalid_api_token",
  invalid_api_key: "invalid_api_token",
};

const RETRY_AFTER_S = "2";

/** The answer to a request that failed as a whole: `{error, error_description, error_uri}`. */
export function failureV1(error: unknown): Response {
  if (error instanceof WeirError && error.retryable) {
    return body(503, error.code, error.message, { "Retry-After": RETRY_AFTER_S });
  }
  const code = error instanceof TerminalError ? (OTHER_NAMES[error.code] ?? error.code) : "";
  const status = STATUS[code];
  if (status === undefined) return body(500, "internal_error", "the request could not be processed");
  const headers: Record<string, string> = status === 408 ? { Connection: "close" } : {};
  return body(status, code, (error as TerminalError).message, headers);
}

/** `allowed` as in the header `Allow`. */
export function methodNotAllowedV1(allowed: string): Response {
  return body(405, "method_not_allowed", `only ${allowed} is allowed here`, { Allow: allowed });
}

function body(status: number, error: string, description: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error, error_description: description, error_uri: null }, { status, headers });
}
