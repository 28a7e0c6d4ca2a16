import { TerminalError } from "../types/mod.ts";
import { inflate, tooLarge } from "./body.ts";
import type { Reservation } from "./byteBudget.ts";
import { unpackLz64 } from "./lz.ts";
import { mediaType } from "./mediaType.ts";

/** What a request says of its payload besides the body. */
export interface PayloadHints {
  contentType: string | null;
  contentEncoding: string | null;
  /** Of the query string. */
  data: string;
  compression: string | null;
  /** Paths of old libraries wrap the text in base64 once more. */
  isLegacyPath: boolean;
}

/** The same as text and as UTF-8. */
export interface DecodedPayload {
  text: string;
  bytes: Uint8Array;
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
 * A payload as JSON text, however it is wrapped (reference: capture, 1.4, in this order).
 * Throws TerminalError `payload_too_large`, `invalid_payload`, RetryableError `too_many_bytes_in_flight`.
 */
export function decodePayload(
  body: Uint8Array,
  hints: PayloadHints,
  maxBytes: number,
  held: Reservation,
): DecodedPayload {
  const isInQuery = hints.data !== "";
  let bytes: Uint8Array = isInQuery ? Buffer.from(hints.data) : body;
  if (bytes.byteLength === 0) throw new TerminalError("invalid_payload", "request missing data payload");
  let compression = compressionOf(hints.compression);
  if (isInQuery || mediaType(hints.contentType) === "application/x-www-form-urlencoded") {
    const form = isInQuery ? { data: hints.data, compression: null } : readForm(bytes);
    bytes = Buffer.from(looksBase64(form.data.replaceAll(" ", "+")) ? form.data.replaceAll(" ", "+") : form.data);
    compression ??= compressionOf(form.compression);
  }
  compression ??= compressionOf(hints.contentEncoding);

  if (compression !== "lz64") bytes = withoutBase64(bytes);
  if (compression === "gzip" || isGzip(bytes)) {
    bytes = inflate(bytes, maxBytes);
    held.take(bytes.byteLength);
  } else if (compression === "lz64") bytes = inflateLz(bytes, maxBytes, held);
  if (hints.isLegacyPath) bytes = withoutBase64(bytes);
  return { text: utf8(bytes), bytes };
}

/** An unknown name is no hint. */
function compressionOf(name: string | null): Compression | null {
  return name === null ? null : (COMPRESSIONS[name.trim().toLowerCase()] ?? null);
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function utf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw undecodable("invalid UTF-8");
  }
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
}

const FORM_FIELD = /(?:^|&)(?:data|_|ip|compression)=/;
const LOOKED_AT_BYTES = 128;

function readForm(bytes: Uint8Array): { data: string; compression: string | null } {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, LOOKED_AT_BYTES));
  if (!FORM_FIELD.test(start.toString("latin1"))) throw undecodable("expected form data in POST request payload");
  const fields = new URLSearchParams(utf8(bytes));
  const data = fields.get("data") ?? "";
  if (data === "") throw new TerminalError("invalid_payload", "request missing data payload");
  return { data, compression: fields.get("compression") };
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function looksBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

/** The bytes as they are when they are not base64 from start to end; JSON never is. */
function withoutBase64(bytes: Uint8Array): Uint8Array {
  const first = bytes[0];
  if (first === 0x7b || first === 0x5b || bytes.byteLength % 4 !== 0) return bytes;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return looksBase64(text) ? Buffer.from(text, "base64") : bytes;
}

function inflateLz(bytes: Uint8Array, maxBytes: number, held: Reservation): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const unpacked = unpackLz64(text, maxBytes - 1);
  if (unpacked === "too_long") throw tooLarge(maxBytes);
  if (unpacked === "invalid") throw undecodable("invalid LZ data");
  const inflated = Buffer.from(unpacked.text);
  if (inflated.byteLength >= maxBytes) throw tooLarge(maxBytes);
  held.take(inflated.byteLength);
  return inflated;
}

function undecodable(detail: string): TerminalError {
  return new TerminalError("invalid_payload", `failed to decode request: ${detail}`);
}
