import { gzipSync } from "node:zlib";
import { compressToBase64 } from "lz-string";
import { isObject, type Json, type JsonObject } from "./match.ts";
import type { Placeholders } from "./placeholders.ts";
import { bytesOf } from "./service.ts";

export interface CaptureRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: Json;
  encode?: string[];
  bodyBase64?: string;
  bodyGen?: BodyGenerator;
}

interface BodyGenerator {
  event?: JsonObject;
  padProperty?: string;
  bytes?: number;
  batchOf?: JsonObject;
  count?: number;
  outer?: JsonObject;
}

/** The bytes to send; undefined without a body. */
export function bodyOf(request: CaptureRequest, placeholders: Placeholders): Uint8Array<ArrayBuffer> | undefined {
  if (request.bodyBase64 !== undefined) return new Uint8Array(Buffer.from(request.bodyBase64, "base64"));
  const body = request.bodyGen ? generate(request.bodyGen, request.path, placeholders) : request.body;
  if (body === undefined) return undefined;
  const filled = request.bodyGen ? body : placeholders.fill(body);
  const steps = request.encode ?? [typeof filled === "string" ? "raw" : "json"];
  return steps.reduce((bytes: Uint8Array<ArrayBuffer>, step) => encoded(bytes, step, filled), bytesOf(""));
}

function encoded(bytes: Uint8Array<ArrayBuffer>, step: string, body: Json): Uint8Array<ArrayBuffer> {
  const text = () => new TextDecoder().decode(bytes);
  switch (step) {
    case "raw":
      return bytesOf(String(body));
    case "json":
      return bytesOf(JSON.stringify(body));
    case "gzip":
      return new Uint8Array(gzipSync(bytes));
    case "base64":
      return bytesOf(Buffer.from(bytes).toString("base64"));
    case "form":
      return bytesOf(`data=${encodeURIComponent(text())}`);
    case "lz64":
      return bytesOf(compressToBase64(text()));
    default:
      throw new Error(`unknown encoding ${step}`);
  }
}

/** One event padded to a size, or a batch of many. */
function generate(wish: BodyGenerator, path: string, placeholders: Placeholders): Json {
  if (wish.batchOf !== undefined) {
    const event = placeholders.fill(wish.batchOf);
    return { ...placeholders.fill(wish.outer ?? {}), batch: Array.from({ length: wish.count ?? 1 }, () => event) };
  }
  const event = placeholders.fill(wish.event ?? {});
  const asBody = (padding: string): JsonObject => {
    const properties = isObject(event.properties) ? event.properties : {};
    const padded = { ...event, properties: { ...properties, [wish.padProperty ?? "pad"]: padding } };
    return path.startsWith("/batch") ? { api_key: event.api_key ?? event.token ?? null, batch: [padded] } : padded;
  };
  const bare = bytesOf(JSON.stringify(asBody(""))).length;
  return asBody("x".repeat(Math.max(0, (wish.bytes ?? 0) - bare)));
}
