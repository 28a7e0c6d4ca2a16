import { parseUuid, TerminalError } from "../../types/mod.ts";
import { mediaType } from "../body/decode.ts";
import type { Packing } from "../body/inflate.ts";
import { parseRfc3339 } from "../event/timestamp.ts";
import { checkToken } from "./token.ts";

/** The fields of the headers of a request. */
export interface HeadersV1 {
  token: string;
  /** Name and version of the library. */
  lib: string;
  libVersion: string;
  /** When it was sent, by the client's clock, epoch milliseconds. */
  sentAtMs: number;
}

const REQUIRED = ["PostHog-Sdk-Info", "PostHog-Attempt", "PostHog-Request-Id", "PostHog-Request-Timestamp"] as const;

/**
 * Throws TerminalError `invalid_api_key`, `missing_required_headers`, `invalid_header_value`, `unsupported_content_type`,
 * `unsupported_encoding`.
 */
export function readHeaders(headers: Headers): HeadersV1 {
  const bearer = /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "");
  const token = checkToken(bearer?.[1] ?? null);
  const missing = REQUIRED.filter((name) => !headers.get(name));
  if (missing.length > 0) throw new TerminalError("missing_required_headers", `missing: ${missing.join(", ")}`);
  checkForm(headers);
  const [info = "", attempt = "", id = "", sentAt = ""] = REQUIRED.map((name) => headers.get(name)?.trim());
  const [, lib, libVersion] = /^([^/\s]+)\/(\S+)$/.exec(info) ?? [];
  const sentAtMs = parseRfc3339(sentAt);
  if (lib === undefined || libVersion === undefined) throw invalidHeader("PostHog-Sdk-Info", "name/version");
  if (!/^\d{1,9}$/.test(attempt)) throw invalidHeader("PostHog-Attempt", "a number");
  if (parseUuid(id) === null) throw invalidHeader("PostHog-Request-Id", "a uuid");
  if (sentAtMs === null) throw invalidHeader("PostHog-Request-Timestamp", "an RFC 3339 time");
  return { token, lib, libVersion, sentAtMs };
}

function checkForm(headers: Headers): void {
  if (mediaType(headers.get("content-type")) !== "application/json") {
    throw new TerminalError("unsupported_content_type", "the content type must be application/json");
  }
  const encoding = headers.get("content-encoding");
  if (packingOf(encoding) === undefined) {
    throw new TerminalError("unsupported_encoding", "the content encoding must be gzip, deflate, br, zstd or none");
  }
}

const PACKINGS: Partial<Record<string, Packing | null>> = {
  "": null,
  identity: null,
  gzip: "gzip",
  deflate: "deflate",
  br: "br",
  zstd: "zstd",
};

/** How a body is packed by its `Content-Encoding`: null not at all, undefined in a way that is not known. */
export function packingOf(contentEncoding: string | null): Packing | null | undefined {
  const name = (contentEncoding ?? "").trim().toLowerCase();
  return Object.hasOwn(PACKINGS, name) ? PACKINGS[name] : undefined;
}

function invalidHeader(name: string, form: string): TerminalError {
  return new TerminalError("invalid_header_value", `${name} must be ${form}`);
}
