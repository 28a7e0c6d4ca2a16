import { gunzipSync } from "node:zlib";
import { describeError, TerminalError } from "../types/mod.ts";
import type { Reservation } from "./byteBudget.ts";

/**
 * The body as sent. Nothing is read when the declared length already exceeds the bounds.
 * Throws TerminalError `payload_too_large` at `maxBytes` and above, `request_aborted` when the client goes away,
 * RetryableError `too_many_bytes_in_flight`.
 */
export async function readBody(request: Request, maxBytes: number, reservation: Reservation): Promise<Buffer> {
  const declared = request.headers.get("content-length");
  if (declared === null) return readChunks(request, maxBytes, reservation);
  const sizeBytes = Number(declared);
  if (!(sizeBytes < maxBytes)) throw tooLarge(maxBytes);
  reservation.take(sizeBytes);
  return Buffer.from(await request.arrayBuffer().catch(aborted));
}

async function readChunks(request: Request, maxBytes: number, reservation: Reservation): Promise<Buffer> {
  const reader = request.body?.getReader();
  if (reader === undefined) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(aborted);
      if (done) return Buffer.concat(chunks, sizeBytes);
      sizeBytes += value.byteLength;
      if (sizeBytes >= maxBytes) throw tooLarge(maxBytes);
      reservation.take(value.byteLength);
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the rest of the body is nobody's any more
    throw error;
  }
}

const INFLATE_CHUNK_MIN_BYTES = 1024;
/** No honest body inflates to more than a few dozen times its size; a forged size must not make us reserve more. */
const INFLATE_RATIO_MAX = 64;

/**
 * zlib stops at `maxOutputLength`. (Bun.gunzipSync has no such bound, and with libdeflate not even where the size in the
 * trailer is small: it grows its buffer as far as a forged body makes it.) The trailer only sizes the first buffer.
 */
export function inflate(body: Buffer, maxBytes: number): Buffer {
  const trailer =
    body.byteLength < 4 ? 0 : new DataView(body.buffer, body.byteOffset + body.byteLength - 4).getUint32(0, true);
  const expectedBytes = Math.min(trailer + 1, maxBytes, body.byteLength * INFLATE_RATIO_MAX);
  try {
    return gunzipSync(body, {
      maxOutputLength: maxBytes - 1,
      chunkSize: Math.max(expectedBytes, INFLATE_CHUNK_MIN_BYTES),
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes);
    throw new TerminalError("invalid_payload", `failed to decode request: invalid GZIP data (${describeError(error)})`);
  }
}

export function tooLarge(maxBytes: number): TerminalError {
  return new TerminalError(
    "payload_too_large",
    `the body, as sent and inflated, must be smaller than ${maxBytes} bytes`,
  );
}

function aborted(cause: unknown): never {
  throw new TerminalError("request_aborted", "client stopped sending data", { cause });
}
