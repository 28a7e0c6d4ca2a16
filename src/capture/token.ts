import { type Json, type JsonObject, TerminalError } from "../types/mod.ts";
import { isObject } from "./normalise.ts";

const TOKEN_MAX_BYTES = 64;
const PERSONAL_KEY_PREFIX = "phx_";

/** The key of a batch object: beside `batch` only; keys inside its events do not count. Throws as `sharedToken`. */
export function outerToken(batch: JsonObject): string {
  return checkToken(batch.api_key ?? batch.token ?? null);
}

/**
 * The one key of an array of events: at the top of an event, else in its properties; events without one go along.
 * Throws TerminalError `missing_api_key` or `invalid_api_key`.
 */
export function sharedToken(events: Json[]): string {
  let shared: Json = null;
  for (const event of events) {
    const token = eventToken(event);
    if (token === null || token === shared) continue;
    if (shared !== null) {
      throw new TerminalError("invalid_api_key", "batch submitted with inconsistent api_key values");
    }
    shared = token;
  }
  return checkToken(shared);
}

function eventToken(event: Json): Json {
  if (!isObject(event)) return null;
  const own = event.api_key ?? event.token ?? event.$token ?? null;
  if (own !== null) return own;
  const inner = isObject(event.properties) ? event.properties.token : null;
  return typeof inner === "string" ? inner : null;
}

function checkToken(given: Json): string {
  if (given === null) throw new TerminalError("missing_api_key", "event submitted without an api_key");
  const fault = typeof given === "string" ? tokenFault(given.trim()) : "not_a_string";
  if (fault !== null) throw new TerminalError("invalid_api_key", `API key is not valid: ${fault}`);
  return (given as string).trim();
}

function tokenFault(token: string): string | null {
  if (token === "") return "empty";
  if (Buffer.byteLength(token) > TOKEN_MAX_BYTES) return "too_long";
  if (/[^\0-\x7f]/.test(token)) return "not_ascii";
  if (token.startsWith(PERSONAL_KEY_PREFIX)) return "personal_api_key";
  if (token.includes("\0")) return "null_byte";
  return null;
}
