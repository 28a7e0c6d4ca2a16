import { describeError, TerminalError } from "../types/mod.ts";
import { sentAtOf } from "./eventTime.ts";
import { fastOutline } from "./fastScan.ts";
import { EVENT } from "./keys.ts";
import { Members, type Outline } from "./outline.ts";
import { withoutRepeats } from "./repeats.ts";
import { outline } from "./scan.ts";
import { outerToken, ownToken, sharedToken } from "./token.ts";

/** A request's events, whichever of the three shapes it had: one event, `{api_key, batch: […]}`, or a bare array. */
export interface Payload {
  /** Well-formed project key; whether it exists is not known yet. */
  token: string;
  isHistorical: boolean;
  /** Neither a batch nor an array. */
  isSingle: boolean;
  /** What the body says of when it was sent, epoch milliseconds, or null. */
  sentAtMs: number | null;
  itemCount: number;
  /** The members of item `index`, good until the next call; null when it is no object. */
  item(index: number): Members | null;
}

/**
 * Throws TerminalError `invalid_payload` (not JSON, too deep, no such shape), `empty_batch`, `missing_api_key`,
 * `invalid_api_key`.
 */
export function parsePayload(payload: Buffer, maxDepth: number): Payload {
  const body = fastOutline(payload, maxDepth) ?? slowOutline(payload, maxDepth);
  if (body.rootIs === "other") throw invalid("expected an event, a batch or an array of events");
  const members = new Members();
  if (body.rootIs === "array") {
    checkCount(body);
    return {
      ...listOf(body, members),
      token: sharedToken(body, members),
      isHistorical: false,
      isSingle: false,
      sentAtMs: null,
    };
  }
  members.toRoot(body);
  if (!body.hasBatch) return single(members);
  checkCount(body);
  return {
    ...listOf(body, members),
    token: outerToken(members),
    isHistorical: members.is(EVENT.historical_migration, "true"),
    isSingle: false,
    sentAtMs: sentAtOf(members),
  };
}

function single(root: Members): Payload {
  if (root.has(EVENT.batch) && !root.has(EVENT.event)) throw invalid("batch must be an array of events");
  return { token: ownToken(root), isHistorical: false, isSingle: true, sentAtMs: null, itemCount: 1, item: () => root };
}

function listOf(body: Outline, members: Members): Pick<Payload, "itemCount" | "item"> {
  return { itemCount: body.itemCount, item: (index) => (members.toItem(body, index) ? members : null) };
}

/** For unusual bodies, and for the reason why one is no JSON. */
function slowOutline(payload: Buffer, maxDepth: number): Outline {
  const body = outline(payload, maxDepth); // first: it refuses what would overflow the parser
  try {
    JSON.parse(payload.toString());
  } catch (error) {
    throw invalid(describeError(error));
  }
  const once = withoutRepeats(body);
  return once === null ? body : outline(once, maxDepth);
}

function checkCount(body: Outline): void {
  if (body.itemCount === 0) throw new TerminalError("empty_batch", "request holds no event");
}

function invalid(detail: string): TerminalError {
  return new TerminalError("invalid_payload", `failed to parse request: ${detail}`);
}
