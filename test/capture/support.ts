import { type EventContext, normaliseEvent } from "../../src/capture/normalise.ts";
import { Members } from "../../src/capture/outline.ts";
import { outline } from "../../src/capture/scan.ts";
import { type AcceptedEvent, type DropCause, EventFlag } from "../../src/types/mod.ts";

export const NOW_MS = Date.UTC(2026, 4, 3, 12);
export const UUID = "0190e0c5-0000-7000-8000-000000000001";

export interface Warned {
  type: string;
  details: Record<string, string | null>;
}

interface Given extends Partial<Omit<EventContext, "warn">> {
  warnings?: Warned[];
}

export function contextOf({ warnings, ...given }: Given = {}): EventContext {
  return {
    teamId: 7,
    nowMs: NOW_MS,
    sentAtMs: null,
    sentAtText: "",
    ip: null,
    anonymizeIps: false,
    eventMaxBytes: 1_000_000,
    defaultName: null,
    newUuid: () => UUID,
    newUuidFlag: EventFlag.ServerUuid,
    warn: (type, details) => warnings?.push({ type, details }),
    ...given,
  };
}

export function normalise(json: string, given: Given = {}): AcceptedEvent | DropCause {
  const body = outline(`[${json}]`, 200);
  const event = new Members();
  return normaliseEvent(event.toItem(body, 0) ? event : null, contextOf(given));
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
