import { describeError, type Json, type JsonObject } from "../../types/mod.ts";
import { ApiError, invalidField, parseError } from "./errors.ts";
import { isObject } from "./fields.ts";

/** The JSON object that a body is, whatever its content type; an empty one is an empty object. Throws ApiError 400. */
export function parseBody(raw: string, { maxDepth }: { maxDepth: number }): JsonObject {
  if (raw.trim() === "") return {};
  let value: Json;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    throw parseError(`JSON parse error - ${describeError(error)}`);
  }
  if (depthExceeds(value, maxDepth)) {
    throw parseError(`JSON parse error - nested deeper than ${maxDepth} levels`);
  }
  if (!isObject(value)) {
    throw invalidField(null, "invalid_input", `Invalid data. Expected a dictionary, but got ${typeName(value)}.`);
  }
  return value;
}

/** A body as it was sent. Throws ApiError 413. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  if (request.body === null) return "";
  const tooLarge = () =>
    new ApiError(413, "invalid_request", "request_too_large", `The body must not be larger than ${maxBytes} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Level by level instead of recursive: the depth is what is not known yet. */
function depthExceeds(value: Json, maxDepth: number): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((entry) => (typeof entry === "object" && entry !== null ? Object.values(entry) : []));
  }
  return false;
}

function typeName(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
