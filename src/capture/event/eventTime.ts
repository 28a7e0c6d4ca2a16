import { QUOTE } from "../../json/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";
import { readTimestamp } from "./timestamp.ts";
import { parseAnyTimestamp } from "./timestampForms.ts";

/** The clocks of a request, epoch milliseconds. */
export interface Clocks {
  /** When it arrived. */
  nowMs: number;
  /** When it was sent, by the client's clock; null when it does not say. */
  sentAtMs: number | null;
}

interface EventTime {
  ms: number;
  /** The server's clock took part: another copy of the event may get another time. */
  isServerTime: boolean;
  /** Its timestamp cannot be read. */
  isUnreadable: boolean;
}

/** A time further ahead than this is an error; up to it, it may be a zone taken for another. */
const FUTURE_MAX_MS = 23 * 3_600_000;
const YEAR_0_MS = -62_167_219_200_000;
/** No time is stored from here on. */
export const YEAR_10000_MS = 253_402_300_800_000;

/** When an event happened, by our clock: the client's is corrected by how wrong it was when the request was sent. */
export function eventTime(event: Members, { nowMs, sentAtMs }: Clocks): EventTime {
  const offsetMs = event.has(EVENT.offset) ? offsetOf(event.raw(EVENT.offset)) : null;
  if (offsetMs !== null) return bounded(nowMs - offsetMs, nowMs, true);
  const ownMs = ownMsOf(event);
  if (ownMs === null) {
    const isUnreadable = event.isGiven(EVENT.timestamp) && !event.is(EVENT.timestamp, '""');
    return { ms: nowMs, isServerTime: true, isUnreadable };
  }
  const isCorrected = sentAtMs !== null && !event.is(PROPERTY.$ignore_sent_at, "true");
  return bounded(isCorrected ? ownMs - (sentAtMs - nowMs) : ownMs, nowMs, isCorrected);
}

function ownMsOf(event: Members): number | null {
  if (event.typeOf(EVENT.timestamp) !== QUOTE) return null;
  // Nearly all are of this form: no string is made for it.
  const ms = readTimestamp(event.bytes, event.start(EVENT.timestamp) + 1, event.end(EVENT.timestamp) - 1);
  return ms ?? parseAnyTimestamp(event.string(EVENT.timestamp)!);
}

/** Milliseconds before the arrival, or null when it is no integer. */
function offsetOf(raw: string): number | null {
  const offset = Number(raw);
  return /^-?\d+$/.test(raw) && Number.isSafeInteger(offset) ? offset : null;
}

/** Why a time is not stored as it is; null where it is. `nowMs` is the arrival. */
export function faultOfTime(ms: number, nowMs: number): "out_of_calendar" | "too_far_ahead" | null {
  if (!(ms >= YEAR_0_MS && ms < YEAR_10000_MS)) return "out_of_calendar";
  return ms > nowMs + FUTURE_MAX_MS ? "too_far_ahead" : null;
}

/** A time too far ahead becomes now, one out of the calendar 1970. */
function bounded(ms: number, nowMs: number, isServerTime: boolean): EventTime {
  const fault = faultOfTime(ms, nowMs);
  if (fault === "out_of_calendar") return { ms: 0, isServerTime, isUnreadable: false };
  if (fault === "too_far_ahead") return { ms: nowMs, isServerTime: true, isUnreadable: false };
  return { ms, isServerTime, isUnreadable: false };
}

const WITH_ZONE = /(?:z|[+-]\d\d(?::?\d\d)?)$/i;

/** The `sent_at` of a batch: only with a zone does it say how wrong the client's clock is. */
export function sentAtOf(batch: Members): number | null {
  const text = batch.string(EVENT.sent_at);
  if (text === null || !text.includes(":") || !WITH_ZONE.test(text)) return null;
  return parseAnyTimestamp(text);
}
