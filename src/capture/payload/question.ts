import { type Json, type JsonObject, TerminalError } from "../../types/mod.ts";
import { decodePayload, type PayloadHints } from "../body/decode.ts";
import type { InflateLimits } from "../body/inflate.ts";
import { checkToken } from "./token.ts";

/** The project key that a question's body holds. Throws as `decodePayload` and `checkToken`. */
export function readQuestion(body: Buffer, hints: PayloadHints, limits: InflateLimits): string {
  const question = parseObject(decodePayload(body, hints, limits).toString());
  return checkToken(question.token ?? question.api_key ?? question.$token ?? null);
}

function parseObject(text: string): JsonObject {
  let value: Json = null;
  try {
    value = JSON.parse(text) as Json;
  } catch (cause) {
    throw new TerminalError("invalid_payload", "failed to parse request: not JSON", { cause });
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new TerminalError("invalid_payload", "failed to parse request: not an object");
  }
  return value;
}
