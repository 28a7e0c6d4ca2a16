import { describeError, TerminalError } from "../../types/mod.ts";
import { TooMuchHere } from "../body/body.ts";
import { sentAtOf } from "../event/eventTime.ts";
import { EVENT } from "../outline/keys.ts";
import { Members, type Outline } from "../outline/outline.ts";
import { withoutRepeats } from "../outline/repeats.ts";
import { scanOutline } from "../outline/scan.ts";
import { outerToken, ownToken, sharedToken } from "./token.ts";

/** A request's events, whichever of the three shapes it had: one event, `{api_key, batch: […]}`, or a bare array. */
export interface Payload {
  outline: Outline;
  /** Well-formed project key; whether it exists is not known yet. */
  token: string;
  isHistorical: boolean;
  /** The text of a `historical_migration` that is neither true nor false, and counts as false; else null. */
  misread: string | null;
  /** Neither a batch nor an array: the root is the event. */
  isSingle: boolean;
  /** The body's own time of sending, epoch milliseconds, or null. */
  sentAtMs: number | null;
}

/**
 * Throws TerminalError `invalid_payload` (not JSON, too deep, no such shape), `empty_batch`, `missing_api_key`,
 * `invalid_api_key`; TooMuchHere for an unusual body above `slowMaxBytes`.
 */
export function parsePayload(text: Buffer, maxDepth: number, slowMaxBytes = Number.POSITIVE_INFINITY): Payload {
  const outline = outlineOf(text, maxDepth, slowMaxBytes);
  if (outline.rootIs === "other") throw invalid("expected an event, a batch or an array of events");
  const members = new Members();
  if (outline.rootIs === "array") {
    checkCount(outline);
    return { outline, token: sharedToken(outline, members), ...LIVE, isSingle: false, sentAtMs: null };
  }
  members.toRoot(outline);
  if (!outline.hasBatch) {
    if (members.has(EVENT.batch) && !members.has(EVENT.event)) throw invalid("batch must be an array of events");
    return { outline, token: ownToken(members), ...LIVE, isSingle: true, sentAtMs: null };
  }
  checkCount(outline);
  return { outline, token: outerToken(members), ...laneOf(members), isSingle: false, sentAtMs: sentAtOf(members) };
}

const LIVE = { isHistorical: false, misread: null };
const MISREAD_MAX_BYTES = 200;

/** The lane that a batch asks for. */
export function laneOf(batch: Members): Pick<Payload, "isHistorical" | "misread"> {
  const key = EVENT.historical_migration;
  if (batch.is(key, "true")) return { isHistorical: true, misread: null };
  if (!batch.isGiven(key) || batch.is(key, "false")) return LIVE;
  const start = batch.start(key);
  const end = Math.min(batch.end(key), start + MISREAD_MAX_BYTES);
  return { isHistorical: false, misread: batch.bytes.toString("utf8", start, end) };
}

/** Where the members of JSON lie. Throws as `parsePayload`. */
export function outlineOf(text: Buffer, maxDepth: number, slowMaxBytes = Number.POSITIVE_INFINITY): Outline {
  const outline = scanned(text, maxDepth);
  if (!outline.mayRepeat) return outline;
  if (text.byteLength > slowMaxBytes) throw new TooMuchHere();
  const once = withoutRepeats(outline);
  return once === null ? outline : scanned(once, maxDepth);
}

function scanned(text: Buffer, maxDepth: number): Outline {
  const found = scanOutline(text, maxDepth);
  if (found === "invalid") throw invalid(faultOf(text));
  if (found === "too_deep") throw invalid(`nested deeper than ${maxDepth} levels`);
  return found;
}

/** The parser that explains makes values of the whole text, so a large text is not explained. */
function faultOf(text: Buffer): string {
  if (text.byteLength > EXPLAINED_MAX_BYTES) return "not JSON";
  try {
    JSON.parse(text.toString());
  } catch (error) {
    return describeError(error);
  }
  return "not JSON";
}

const EXPLAINED_MAX_BYTES = 64 * 1024;

function checkCount(body: Outline): void {
  if (body.itemCount === 0) throw new TerminalError("empty_batch", "request holds no event");
}

function invalid(detail: string): TerminalError {
  return new TerminalError("invalid_payload", `failed to parse request: ${detail}`);
}
