import { expect } from "bun:test";
import type { EventContext } from "../../src/capture/event/eventContext.ts";
import { normaliseEvent } from "../../src/capture/event/normalise.ts";
import { rawEvent } from "../../src/capture/event/raw.ts";
import { Members, type Outline } from "../../src/capture/outline/outline.ts";
import { scanOutline } from "../../src/capture/outline/scan.ts";
import { decodeFrame, FrameWriter } from "../../src/stream/mod.ts";
import { type AcceptedEvent, type DropCause, EventFlag, type OutgoingEvent } from "../../src/types/mod.ts";
import { outline } from "./slowOutline.ts";

export const NOW_MS = Date.UTC(2026, 4, 3, 12);
export const UUID = "0190e0c5-0000-7000-8000-000000000001";

export interface Warned {
  type: string;
  details: Record<string, string | null>;
}

interface Given extends Partial<Omit<EventContext, "warn">> {
  warnings?: Warned[];
  ip?: string | null;
  sentAtText?: string;
}

export function contextOf({ warnings, ip = null, sentAtText = "", ...given }: Given = {}): EventContext {
  const sentAtMember = sentAtText === "" ? "" : `,"$sent_at":"${sentAtText}"`;
  const ipMember = ip === null ? "" : `,"$ip":"${ip}"`;
  return {
    teamId: 7,
    nowMs: NOW_MS,
    sentAtMs: null,
    sentAtMember,
    ipMember,
    ownMembers: sentAtMember + ipMember,
    anonymizeIps: false,
    eventMaxBytes: 1_000_000,
    defaultName: null,
    newUuid: () => UUID,
    newUuidFlag: EventFlag.ServerUuid,
    isNobody: null,
    warn: (type, details) => warnings?.push({ type, details }),
    ...given,
  };
}

/** What becomes of an event, raw or not, whichever scan has found its members. */
export function normalise(json: string, given: Given = {}): AcceptedEvent | DropCause {
  const body = Buffer.from(`[${json}]`);
  const accepted = (found: Outline, o: Given) => {
    const event = new Members();
    const context = contextOf(o);
    const isObject = event.toItem(found, 0);
    const result = isObject ? (rawEvent(event, context) ?? normaliseEvent(event, context)) : "invalid_event";
    return typeof result === "string" ? result : written([result])[0]!;
  };
  const result = accepted(outline(body, 200), given);
  const found = scanOutline(body, 200);
  if (typeof found === "string") throw new Error(`${found}: ${json}`);
  expect(accepted(found, { ...given, warnings: [] })).toEqual(result);
  return result;
}

/** Events as a frame gives them back. */
export function written(events: readonly OutgoingEvent[]): AcceptedEvent[] {
  const writer = new FrameWriter();
  for (const event of events) writer.add(event);
  return decodeFrame(writer.finish());
}

export function accept(event: object, given: Given = {}): AcceptedEvent {
  const result = normalise(JSON.stringify({ event: "e", distinct_id: "d", ...event }), given);
  if (typeof result === "string") throw new Error(result);
  return result;
}

export function refuse(event: object, given: Given = {}): DropCause {
  const result = normalise(JSON.stringify({ event: "e", distinct_id: "d", ...event }), given);
  if (typeof result !== "string") throw new Error("was accepted");
  return result;
}
