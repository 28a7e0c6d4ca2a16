import type { DropCause, OutgoingEvent } from "../types/mod.ts";
import { normaliseEvent } from "./event/normalise.ts";
import { rawEvent } from "./event/raw.ts";
import { Warnings } from "./event/warnings.ts";
import { contextOf } from "./front/requestContext.ts";
import { Members } from "./outline/outline.ts";
import { outlineOf } from "./payload/payload.ts";

// What the front makes of an event, for those who want to know it before they send it. This file loads no more than the rules.
export { faultOfTime } from "./event/eventTime.ts";

/** What the rules depend on besides the event. */
export interface TrialFacts {
  /** The arrival, epoch milliseconds. */
  nowMs: number;
  eventMaxBytes: number;
  jsonMaxDepth: number;
}

const PROJECT = { teamId: 0, anonymizeIps: false };
const NO_WARNINGS = new Warnings(0);
const members = new Members();

/**
 * The event that the front makes of this JSON in a batch of history, or the cause for which it sets it aside. Throws TerminalError
 * `invalid_payload` where it refuses the whole batch: no JSON, or nested too deeply.
 */
export function tryEvent(json: string, { nowMs, eventMaxBytes, jsonMaxDepth }: TrialFacts): OutgoingEvent | DropCause {
  const outline = outlineOf(Buffer.from(`{"batch":[${json}]}`), jsonMaxDepth);
  if (!members.toItem(outline, 0)) return "invalid_event";
  const request = { nowMs, sentAtMs: null, ip: null, defaultName: null, idempotency: null, isNobody: null };
  const context = contextOf(PROJECT, request, {
    isHistorical: true,
    eventMaxBytes,
    warnings: NO_WARNINGS,
    index: () => 0,
  });
  return rawEvent(members, context) ?? normaliseEvent(members, context);
}
