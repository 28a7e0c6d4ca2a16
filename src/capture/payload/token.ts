import { QUOTE } from "../../json/mod.ts";
import { type Json, TerminalError } from "../../types/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import type { Members, Outline } from "../outline/outline.ts";

const TOKEN_MAX_BYTES = 64;
const PERSONAL_KEY_PREFIX = "phx_";

/** The key of a batch object: beside `batch` only; keys inside its events do not count. Throws as `sharedToken`. */
export function outerToken(batch: Members): string {
  return checkToken(parsed(firstGiven(batch, [EVENT.api_key, EVENT.token])));
}

/** The key of a single event: at its top, else in its properties. Throws as `sharedToken`. */
export function ownToken(event: Members): string {
  return checkToken(parsed(eventToken(event)));
}

/**
 * The one key of an array of events; events without one go along.
 * Throws TerminalError `missing_api_key` or `invalid_api_key`.
 */
export function sharedToken(outline: Outline, event: Members): string {
  let written: string | null = null;
  let shared: string | null = null;
  const { itemStarts } = outline;
  for (let i = 0; i < outline.itemCount; i++) {
    // There may be millions of empty items: they are looked at once.
    if (itemStarts[i]! < 0 || itemStarts[i] === itemStarts[i + 1] || !event.toItem(outline, i)) continue;
    const token = eventToken(event);
    if (token === null || token === written) continue;
    // Nearly all events write it the same way; its meaning is compared only where they do not.
    const meant = checkToken(parsed(token));
    if (shared !== null && meant !== shared) {
      throw new TerminalError("invalid_api_key", "batch submitted with inconsistent api_key values");
    }
    written ??= token;
    shared ??= meant;
  }
  return shared ?? checkToken(null);
}

const CLAIM = /"(?:api_key|\$?token)"\s*:\s*"([\w-]{1,64})"/g;
const CLAIM_BYTES = 4096;
const CLAIMS_MAX = 2;

/** Texts near the begin of a body that look like a key. Which one counts is known only when the whole body is here. */
export function claimedTokens(begin: Buffer): string[] {
  const text = begin.toString("latin1", 0, CLAIM_BYTES);
  return [...new Set(Array.from(text.matchAll(CLAIM), ([, token = ""]) => token))].slice(0, CLAIMS_MAX);
}

/** As JSON text. */
function eventToken(event: Members): string | null {
  const own = firstGiven(event, [EVENT.api_key, EVENT.token, EVENT.$token]);
  if (own !== null) return own;
  return event.typeOf(PROPERTY.token) === QUOTE ? event.raw(PROPERTY.token) : null;
}

function firstGiven(members: Members, keys: number[]): string | null {
  for (const key of keys) if (members.isGiven(key)) return members.raw(key);
  return null;
}

/**
 * The key without the blanks around it. Throws TerminalError `missing_api_key` for null, `invalid_api_key` when no key
 * can look so.
 */
export function checkToken(given: Json): string {
  if (given === null)
    throw new TerminalError(
      "missing_api_key",
      "event submitted without an api_key: send the project API key as api_key",
    );
  if (typeof given !== "string") throw invalidToken("not_a_string");
  const token = given.trim();
  const fault = tokenFault(token);
  if (fault !== null) throw invalidToken(fault);
  return token;
}

function parsed(raw: string | null): Json {
  return raw === null ? null : (JSON.parse(raw) as Json);
}

function invalidToken(fault: string): TerminalError {
  const hint = fault === "personal_api_key" ? ". Events take a project API key, which `weir projects list` shows" : "";
  return new TerminalError("invalid_api_key", `API key is not valid: ${fault}${hint}`);
}

function tokenFault(token: string): string | null {
  if (token === "") return "empty";
  if (Buffer.byteLength(token) > TOKEN_MAX_BYTES) return "too_long";
  if (/[^\0-\x7f]/.test(token)) return "not_ascii";
  if (token.startsWith(PERSONAL_KEY_PREFIX)) return "personal_api_key";
  if (token.includes("\0")) return "null_byte";
  return null;
}
