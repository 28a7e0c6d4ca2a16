import { type AcceptedEvent, type DropCause, EventFlag, type Json, type JsonObject, parseUuid } from "../types/mod.ts";
import { members } from "./scan.ts";
import { cleanJson, cleanText, cutCharacters, cutUnits, isLongerThan } from "./text.ts";
import { parseTimestamp } from "./timestamp.ts";

/** All that an event's meaning depends on besides itself. */
export interface EventContext {
  teamId: number;
  /** When the request arrived, epoch milliseconds. */
  nowMs: number;
  /** An event whose properties take more than this is set aside. */
  eventMaxBytes: number;
  /** A fresh UUIDv7, for events that carry none. */
  newUuid(): string;
}

/** The text that one event was parsed from, free of line breaks. */
export interface EventText {
  /** Of the `properties` object; read only when that is an object. */
  properties(): string;
  /** Of each member of the event, by its key; slow, for rare cases. */
  members(): Map<string, string>;
}

const EVENT_NAME_MAX_UNITS = 200;
const DISTINCT_ID_MAX_CHARACTERS = 200;
/** A time further ahead than this is an error; up to it, it may be a zone taken for another. */
const FUTURE_MAX_MS = 23 * 3_600_000;
const YEAR_0_MS = -62_167_219_200_000;
const YEAR_10000_MS = 253_402_300_800_000;

/** The event as it is to be stored, or why it is set aside. Pure: same arguments, same result. */
export function normaliseEvent(event: Json, text: EventText, context: EventContext): AcceptedEvent | DropCause {
  if (!isObject(event)) return "invalid_event";
  const properties = event.properties ?? null;
  if (properties !== null && !isObject(properties)) return "invalid_event";
  if (typeof event.event !== "string" || event.event === "") return "missing_event_name";
  const distinctId = distinctIdOf(event, properties, text);
  if (distinctId === null) return "missing_distinct_id";

  const ownUuid = event.uuid ?? "";
  const uuid = ownUuid === "" ? context.newUuid() : typeof ownUuid === "string" ? parseUuid(ownUuid) : null;
  if (uuid === null) return "invalid_uuid";
  const ownTimeMs = claimedTime(event.timestamp);
  const isServerTime = ownTimeMs === null || ownTimeMs > context.nowMs + FUTURE_MAX_MS;

  const stored = propertiesText(event, properties, text);
  if (isLongerThan(stored, context.eventMaxBytes)) return "message_size_too_large";
  return {
    teamId: context.teamId,
    uuid,
    event: cutUnits(cleanText(event.event), EVENT_NAME_MAX_UNITS),
    distinctId,
    timestampMs: isServerTime ? context.nowMs : ownTimeMs,
    properties: stored,
    flags: (ownUuid === "" ? EventFlag.ServerUuid : 0) | (isServerTime ? EventFlag.ServerTime : 0),
  };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the event says itself, or null. A zone can push the first and the last day out of the calendar: 1970 then. */
function claimedTime(timestamp: Json | undefined): number | null {
  const ms = typeof timestamp === "string" ? parseTimestamp(timestamp) : null;
  return ms === null || (ms >= YEAR_0_MS && ms < YEAR_10000_MS) ? ms : 0;
}

function distinctIdOf(event: JsonObject, properties: JsonObject | null, text: EventText): string | null {
  const own = event.distinct_id ?? event.$distinct_id ?? null;
  const id = own ?? properties?.distinct_id ?? null;
  if (id === null) return null;
  const written = () => (own === null ? members(text.properties()) : text.members());
  const key = own !== null && (event.distinct_id ?? null) === null ? "$distinct_id" : "distinct_id";
  const asText = typeof id === "string" ? id : jsonText(id, () => written().get(key)!);
  const stored = cutCharacters(cleanText(asText), DISTINCT_ID_MAX_CHARACTERS);
  return stored.trim() === "" ? null : stored;
}

/** Compact JSON with sorted keys; numbers that would lose digits as they were `written`. */
function jsonText(value: Json, written: () => string): string {
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER) return written();
  return JSON.stringify(value, (_key, inner: Json) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

/** Keys that SDKs also put beside `properties`; there they win. */
const SETS = ["$set", "$set_once"] as const;

function propertiesText(event: JsonObject, properties: JsonObject | null, text: EventText): string {
  const given = properties === null ? "{}" : text.properties();
  if (event.$set === undefined && event.$set_once === undefined) return cleanJson(given);

  const merged = members(given);
  const beside = text.members();
  for (const key of SETS) {
    if (!isObject(event[key])) continue;
    const inner = isObject(properties?.[key]) ? members(merged.get(key)!) : new Map<string, string>();
    for (const [name, value] of members(beside.get(key)!)) inner.set(name, value);
    merged.set(key, printMembers(inner));
  }
  return cleanJson(printMembers(merged));
}

function printMembers(all: Map<string, string>): string {
  return `{${Array.from(all, ([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`;
}
