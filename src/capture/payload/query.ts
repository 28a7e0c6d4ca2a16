import { TerminalError } from "../../types/mod.ts";
import { YEAR_10000_MS } from "../event/eventTime.ts";

/** The fields of the query string of a capture request. */
export interface CaptureQuery {
  /** The payload; it wins over the body. "" when it is not here. */
  data: string;
  /** A hint as written, or null. */
  compression: string | null;
  /** `_`: when the client sent it, epoch milliseconds; null when it does not say, says it in seconds, or no clock can. */
  sentAtMs: number | null;
  /** The sender does not read the answer and wants none. */
  isBeacon: boolean;
}

const NONE: CaptureQuery = { data: "", compression: null, sentAtMs: null, isBeacon: false };
/** Seconds taken for milliseconds are in 1970; no client that is alive sends from before 2021. */
const FIRST_SENT_AT_MS = Date.UTC(2021, 0, 1);

/** Throws TerminalError `invalid_payload` where an integer is expected and is not there. */
export function parseQuery(url: string): CaptureQuery {
  const at = url.indexOf("?");
  if (at < 0) return NONE;
  const query = new URLSearchParams(url.slice(at + 1));
  const sentAtMs = integer(query, "_") ?? integer(query, "sent_at");
  return {
    data: query.get("data") ?? "",
    compression: query.get("compression"),
    sentAtMs: sentAtMs !== null && sentAtMs >= FIRST_SENT_AT_MS && sentAtMs < YEAR_10000_MS ? sentAtMs : null,
    isBeacon: integer(query, "beacon") === 1,
  };
}

function integer(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  throw new TerminalError("invalid_payload", `failed to parse query: ${name} must be an integer`);
}
