import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from "node:zlib";
import { describeError, TerminalError } from "../../types/mod.ts";
import { TooMuchHere, tooLarge } from "./body.ts";

export type Packing = "gzip" | "deflate" | "br" | "zstd";

export interface InflateLimits {
  /** A body of this size or larger is refused. */
  maxBytes: number;
  /** The same bound for work on the loop; TooMuchHere is thrown above it. */
  hereMaxBytes: number;
}

const CHUNK_MIN_BYTES = 1024;
/** No honest body inflates to more than a few dozen times its size; a forged size must not make us reserve more. */
const RATIO_MAX = 64;
/** A sender may ask for a window of up to 2 GiB; a body needs none that is larger than itself. */
const ZSTD_WINDOW_LOG_MAX = 25;

/**
 * The body unpacked. Throws TerminalError `payload_too_large`, `invalid_payload`.
 *
 * zlib stops at `maxOutputLength`. (Bun.gunzipSync has no such bound, and with libdeflate not even where the size in the
 * trailer is small: it grows its buffer as far as a forged body makes it.)
 */
export function inflate(body: Buffer, packing: Packing, limits: InflateLimits): Buffer {
  const maxBytes = Math.min(limits.maxBytes, limits.hereMaxBytes);
  const expectedBytes = Math.min(expectedBytesOf(body, packing), maxBytes, body.byteLength * RATIO_MAX);
  const o = { maxOutputLength: maxBytes - 1, chunkSize: Math.max(expectedBytes, CHUNK_MIN_BYTES) };
  try {
    switch (packing) {
      case "gzip":
        return gunzipSync(body, o);
      case "deflate":
        return hasZlibHeader(body) ? inflateSync(body, o) : inflateRawSync(body, o);
      case "br":
        return brotliDecompressSync(body, o);
      case "zstd":
        return zstdDecompressSync(body, { ...o, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } });
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_BUFFER_TOO_LARGE") {
      const name = packing.toUpperCase();
      throw new TerminalError(
        "invalid_payload",
        `failed to decode request: invalid ${name} data (${describeError(error)})`,
      );
    }
    throw maxBytes < limits.maxBytes ? new TooMuchHere() : tooLarge(limits.maxBytes);
  }
}

/** For the first buffer: of gzip the trailer says it. */
export function expectedBytesOf(body: Buffer, packing: Packing): number {
  if (packing !== "gzip") return body.byteLength * 8;
  return body.byteLength < 4 ? 0 : body.readUInt32LE(body.byteLength - 4) + 1;
}

/** RFC 1950, 2.2; a body without it is plain deflate (RFC 1951), which many send under the same name. */
function hasZlibHeader(body: Buffer): boolean {
  return body.byteLength >= 2 && (body[0]! & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
