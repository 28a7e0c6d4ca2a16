import { isUtf8 } from "node:buffer";
import { OPEN_ARRAY, OPEN_OBJECT } from "../../json/mod.ts";
import { TerminalError } from "../../types/mod.ts";
import { TooMuchHere, tooLarge } from "./body.ts";
import { SMALL_BYTES } from "./byteBudget.ts";
import { type InflateLimits, inflate } from "./inflate.ts";
import { unpackLz64 } from "./lz.ts";

/** Hints of a request about its payload, besides the body. */
export interface PayloadHints {
  contentType: string | null;
  contentEncoding: string | null;
  /** Of the query string. */
  data: string;
  compression: string | null;
  /** Paths of old libraries wrap the text in base64 once more. */
  isLegacyPath: boolean;
}

type Compression = "gzip" | "lz64" | "base64";

const COMPRESSIONS: Record<string, Compression> = {
  gzip: "gzip",
  "gzip-js": "gzip",
  lz64: "lz64",
  "lz-string": "lz64",
  base64: "base64",
  b64: "base64",
};

/**
 * A payload as JSON text in UTF-8, however it is wrapped (docs/capture-api.md#how-a-payload-is-unpacked).
 * Throws TerminalError `payload_too_large`, `invalid_payload`, and TooMuchHere.
 */
export function decodePayload(body: Buffer, hints: PayloadHints, limits: InflateLimits): Buffer {
  const isInQuery = hints.data !== "";
  let bytes = isInQuery ? Buffer.from(hints.data) : body;
  if (bytes.byteLength === 0)
    throw new TerminalError("invalid_payload", "request missing data payload: send the events as a JSON body");
  let compression = compressionOf(hints.compression);
  if (isInQuery || mediaType(hints.contentType) === "application/x-www-form-urlencoded") {
    if (bytes.byteLength > SMALL_BYTES && limits.hereMaxBytes < limits.maxBytes) throw new TooMuchHere();
    const form = isInQuery ? { data: hints.data, compression: null } : readForm(bytes);
    bytes = Buffer.from(looksBase64(form.data.replaceAll(" ", "+")) ? form.data.replaceAll(" ", "+") : form.data);
    compression ??= compressionOf(form.compression);
  }
  compression ??= compressionOf(hints.contentEncoding);

  if (compression !== "lz64") bytes = withoutBase64(bytes);
  if (compression === "gzip" || isGzip(bytes)) bytes = inflate(bytes, "gzip", limits);
  else if (compression === "lz64") bytes = inflateLz(bytes, limits);
  return textOf(hints.isLegacyPath ? withoutBase64(bytes) : bytes);
}

/** Throws TerminalError `invalid_payload` for bytes that are not UTF-8. */
export function textOf(bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw undecodable("invalid UTF-8");
  return startsWith(bytes, BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
}

export function isGzip(bytes: Buffer): boolean {
  return startsWith(bytes, GZIP);
}

/** An unknown name is no hint. */
function compressionOf(name: string | null): Compression | null {
  return name === null ? null : (COMPRESSIONS[name.trim().toLowerCase()] ?? null);
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const GZIP = [0x1f, 0x8b, 0x08];

function startsWith(bytes: Buffer, magic: number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte);
}

const FORM_FIELD = /(?:^|&)(?:data|_|ip|compression)=/;
const LOOKED_AT_BYTES = 128;

function readForm(bytes: Buffer): { data: string; compression: string | null } {
  if (!FORM_FIELD.test(bytes.toString("latin1", 0, LOOKED_AT_BYTES)))
    throw undecodable("expected form data in POST request payload; for JSON send Content-Type: application/json");
  if (!isUtf8(bytes)) throw undecodable("invalid UTF-8");
  const fields = new URLSearchParams(bytes.toString());
  const data = fields.get("data") ?? "";
  if (data === "")
    throw new TerminalError("invalid_payload", "request missing data payload: send the events as a JSON body");
  return { data, compression: fields.get("compression") };
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function looksBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

/** The bytes as they are when they are not base64 from start to end; JSON never is. */
function withoutBase64(bytes: Buffer): Buffer {
  const first = bytes[0];
  if (first === OPEN_OBJECT || first === OPEN_ARRAY || bytes.byteLength % 4 !== 0) return bytes;
  const text = bytes.toString("latin1");
  return looksBase64(text) ? Buffer.from(text, "base64") : bytes;
}

function inflateLz(bytes: Buffer, limits: InflateLimits): Buffer {
  const maxBytes = Math.min(limits.maxBytes, limits.hereMaxBytes);
  const unpacked = unpackLz64(bytes.toString("latin1"), maxBytes - 1);
  if (unpacked === "invalid") throw undecodable("invalid LZ data");
  const inflated = unpacked === "too_long" ? null : Buffer.from(unpacked.text);
  if (inflated !== null && inflated.byteLength < maxBytes) return inflated;
  throw maxBytes < limits.maxBytes ? new TooMuchHere() : tooLarge(maxBytes);
}

function undecodable(detail: string): TerminalError {
  return new TerminalError("invalid_payload", `failed to decode request: ${detail}`);
}

/** The type of a body in lower case, without its parameters; "" when the request does not say. */
export function mediaType(contentType: string | null): string {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase();
}
