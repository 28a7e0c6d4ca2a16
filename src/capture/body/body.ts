import { TerminalError, type Turns } from "../../types/mod.ts";
import type { Reservation } from "./byteBudget.ts";
import type { Upload, Uploads } from "./uploads.ts";

interface BodyOptions {
  /** A body must be smaller. */
  maxBytes: number;
  uploads: Uploads;
  turns: Turns;
  reservation: Reservation;
  /** Of the client, null when not known. */
  address: string | null;
  /** Called with the begin of a body when more is still to come. */
  onBegin?(begin: Buffer): void;
}

/**
 * The body as sent. Nothing is read when the declared length already exceeds the bounds; room is reserved for the bytes that have come.
 * Throws TerminalError `payload_too_large` at `maxBytes` and above, `request_aborted` when the client goes away or is too
 * slow, RetryableError `too_many_bytes_in_flight` and `too_many_from_address`.
 */
export async function readBody(request: Request, o: BodyOptions): Promise<Buffer> {
  const declared = request.headers.get("content-length");
  const declaredBytes = declared === null ? null : Number(declared);
  if (declaredBytes !== null && !(declaredBytes < o.maxBytes)) throw tooLarge(o.maxBytes);
  if (declaredBytes === 0) return Buffer.alloc(0);
  const upload = o.uploads.begin(declaredBytes, o.address, o.reservation);
  try {
    if (upload.wholeBytes === 0) return await readParts(request, upload, o);
    const body = await upload.orEnd(request.arrayBuffer());
    upload.received(body.byteLength);
    return Buffer.from(body);
  } finally {
    o.uploads.finish(upload);
  }
}

async function readParts(request: Request, upload: Upload, o: BodyOptions): Promise<Buffer> {
  if (request.body === null) return Buffer.alloc(0);
  const { maxBytes, onBegin, turns } = o;
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await upload.orEnd(reader.read());
      if (done) return await joined(chunks, upload.receivedBytes, turns);
      if (upload.receivedBytes + value.byteLength >= maxBytes) throw tooLarge(maxBytes);
      upload.received(value.byteLength);
      chunks.push(value);
      if (chunks.length === 1) onBegin?.(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the rest of the body is not read
    throw error;
  }
}

async function joined(chunks: Uint8Array[], sizeBytes: number, turns: Turns): Promise<Buffer> {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1) return Buffer.from(first.buffer, first.byteOffset, sizeBytes);
  const body = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for (const chunk of chunks) {
    if (turns.isOver) await turns.next();
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}

export function tooLarge(maxBytes: number): TerminalError {
  return new TerminalError(
    "payload_too_large",
    `the body, as sent and inflated, must be smaller than ${maxBytes} bytes`,
  );
}

/** Not a failure: the work is too much for the loop and must be done in the thread. */
export class TooMuchHere extends Error {}
