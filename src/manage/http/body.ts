import { stringEnd } from "../../json/mod.ts";
import { describeError, type Json, type JsonObject, type UploadPace, uploadMs } from "../../types/mod.ts";
import { ApiError, invalidField, parseError } from "./errors.ts";
import { isObject } from "./fields.ts";

/** The JSON object that a body is, whatever its content type; an empty one is an empty object. Throws ApiError 400. */
export function parseBody(raw: string, { maxDepth }: { maxDepth: number }): JsonObject {
  if (raw.trim() === "") return {};
  if (depthExceeds(raw, maxDepth)) throw parseError(`JSON parse error - nested deeper than ${maxDepth} levels`);
  let value: Json;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    throw parseError(`JSON parse error - ${describeError(error)}. The body must be a JSON object.`);
  }
  if (!isObject(value)) {
    throw invalidField(null, "invalid_input", `Invalid data. Expected a JSON object, but got ${typeName(value)}.`);
  }
  return value;
}

const LOOK_MS = 500;

/** A body as it was sent; no more of it than `maxBytes` is read. Throws ApiError 413, and 408 where it comes too slowly or ends too early. */
export async function readText(request: Request, maxBytes: number, pace: UploadPace): Promise<string> {
  if (request.body === null) return "";
  const tooLarge = () =>
    new ApiError(413, "invalid_request", "request_too_large", `The body must not be larger than ${maxBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const beganAtMs = performance.now();
  const { promise: slow, reject } = Promise.withResolvers<never>();
  const timer = setInterval(() => {
    if (performance.now() - beganAtMs > uploadMs(pace, sizeBytes)) reject(aborted("The body came in too slowly."));
  }, LOOK_MS);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), slow]);
      if (done) return Buffer.concat(chunks).toString("utf8");
      sizeBytes += value.byteLength;
      if (sizeBytes > maxBytes) throw tooLarge();
      chunks.push(value);
    }
  } catch (error) {
    reader.cancel().catch(() => {}); // the rest of the body is not read
    throw error instanceof ApiError ? error : aborted("The body did not come in whole.");
  } finally {
    clearInterval(timer);
  }
}

/** The rest of the body is not read, so the connection is closed. */
const aborted = (detail: string) =>
  new ApiError(408, "invalid_request", "request_aborted", detail, null, { Connection: "close" });

/** Counted in the text, which costs less than a parse and cannot overflow the stack; brackets inside texts do not count. */
function depthExceeds(raw: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < raw.length; at++) {
    switch (raw[at]) {
      case '"':
        at = stringEnd(raw, at);
        // A text without an end is for the parser to refuse.
        if (at < 0) return false;
        break;
      case "{":
      case "[":
        if (++depth > maxDepth) return true;
        break;
      case "}":
      case "]":
        depth--;
    }
  }
  return false;
}

function typeName(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
