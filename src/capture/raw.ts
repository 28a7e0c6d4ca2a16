import { DISTINCT_ID_MAX_CHARACTERS, mergeKindOf } from "../properties/mod.ts";
import { type DropCause, EventFlag, type OutgoingEvent, RawEvent, UUID_BYTES } from "../types/mod.ts";
import { eventTime } from "./eventTime.ts";
import { HINTED_NAMES, saysWhatItMeans } from "./hints.ts";
import { EVENT, KeySet, PROPERTY } from "./keys.ts";
import { EVENT_NAME_MAX_UNITS, type EventContext, normaliseEvent, PERFORMANCE_EVENT } from "./normalise.ts";
import { type Members, OPEN_OBJECT, QUOTE, skipBlanks } from "./outline.ts";
import { NEVER_PERSONLESS, PERSON_KEYS } from "./personProperties.ts";

/** With one of these an event is changed before it is stored, or may be. */
const CHANGING = new KeySet([
  EVENT.$set,
  EVENT.$set_once,
  PROPERTY.capture_internal,
  PROPERTY.$sent_at,
  PROPERTY.$cookieless_mode,
  PROPERTY.$elements,
  PROPERTY.$elements_chain,
]);
const OF_PERSONS = new KeySet(PERSON_KEYS);

/** First bytes of the names that mean something here; of no other a text is made. */
const MEANINGFUL = new Set([...HINTED_NAMES, ...NEVER_PERSONLESS, PERFORMANCE_EVENT].map((name) => name.charCodeAt(0)));

/**
 * The event where it is stored as it was sent, which most are; else null, and `normaliseEvent` says what becomes of it. It
 * gives the same event wherever it gives one, at a tenth of the cost, since it makes no text.
 */
export function rawEvent(event: Members, context: EventContext): RawEvent | null {
  if (event.hasEscapes || event.hasAny(CHANGING) || mayChangeSessionId(event)) return null;
  if (!hasRawName(event) || !hasRawDistinctId(event) || !hasCanonicalUuid(event)) return null;
  const isPersonless = event.has(PROPERTY.$process_person_profile);
  if (isPersonless && (!event.is(PROPERTY.$process_person_profile, "false") || event.hasAny(OF_PERSONS))) return null;
  const { bytes } = event;
  const distinctIdStart = event.start(EVENT.distinct_id) + 1;
  const distinctIdEnd = event.end(EVENT.distinct_id) - 1;
  if (context.isNobody?.(bytes.toString("latin1", distinctIdStart, distinctIdEnd))) return null;
  const added = addedTo(event, context);
  if (added === null || !hasRawProperties(event, context.eventMaxBytes - added.length, added)) return null;
  const time = eventTime(event, context);
  if (time.isUnreadable) return null;
  return new RawEvent(
    context.teamId,
    (time.isServerTime ? EventFlag.ServerTime : 0) | (isPersonless ? EventFlag.Personless : 0),
    time.ms,
    bytes,
    event.start(EVENT.uuid) + 1,
    event.start(EVENT.event) + 1,
    event.end(EVENT.event) - 1,
    distinctIdStart,
    distinctIdEnd,
    event.start(EVENT.properties),
    event.end(EVENT.properties),
    added,
  );
}

/** An event as it is to be stored, or why it is set aside: as `normaliseEvent` says, without texts where that can be. */
export function acceptEvent(event: Members | null, context: EventContext): OutgoingEvent | DropCause {
  return (event === null ? null : rawEvent(event, context)) ?? normaliseEvent(event, context);
}

function hasRawName(event: Members): boolean {
  if (event.typeOf(EVENT.event) !== QUOTE) return false;
  const start = event.start(EVENT.event) + 1;
  const end = event.end(EVENT.event) - 1;
  if (end === start || end - start > EVENT_NAME_MAX_UNITS || !isUnescaped(event.bytes, start, end)) return false;
  return !MEANINGFUL.has(event.bytes[start]!) || isOrdinary(event, event.bytes.toString("utf8", start, end));
}

function isOrdinary(event: Members, name: string): boolean {
  if (mergeKindOf(name) !== null || NEVER_PERSONLESS.has(name) || name === PERFORMANCE_EVENT) return false;
  return saysWhatItMeans(event, name);
}

/** One that begins with a blank may hold nothing else. */
function hasRawDistinctId(event: Members): boolean {
  if (event.typeOf(EVENT.distinct_id) !== QUOTE) return false;
  const { bytes } = event;
  const start = event.start(EVENT.distinct_id) + 1;
  const end = event.end(EVENT.distinct_id) - 1;
  if (end - start > DISTINCT_ID_MAX_CHARACTERS || bytes[start] === BLANK) return false;
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH || bytes[at]! > ASCII_MAX) return false;
  return end > start;
}

function isUnescaped(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return false;
  return true;
}

function hasCanonicalUuid(event: Members): boolean {
  const { bytes } = event;
  if (event.typeOf(EVENT.uuid) !== QUOTE) return false;
  const at = event.start(EVENT.uuid) + 1;
  if (event.end(EVENT.uuid) - 1 - at !== UUID_BYTES) return false;
  if (bytes[at + 8] !== HYPHEN || bytes[at + 13] !== HYPHEN) return false;
  if (bytes[at + 18] !== HYPHEN || bytes[at + 23] !== HYPHEN) return false;
  return (
    areHex(bytes, at, 8) &&
    areHex(bytes, at + 9, 4) &&
    areHex(bytes, at + 14, 4) &&
    areHex(bytes, at + 19, 4) &&
    areHex(bytes, at + 24, 12)
  );
}

function areHex(bytes: Buffer, from: number, count: number): boolean {
  let areAll = 1;
  for (let at = from; at < from + count; at++) areAll &= IS_HEX[bytes[at]!]!; // no branch: a third of the time
  return areAll === 1;
}

/** It may be a uuid that is put in form; an escape may stand for anything. */
function mayChangeSessionId(event: Members): boolean {
  if (!event.has(PROPERTY.$session_id)) return false;
  const end = event.end(PROPERTY.$session_id);
  for (let at = event.start(PROPERTY.$session_id); at < end; at++) {
    const byte = event.bytes[at]!;
    if ((byte >= 0x41 && byte <= 0x46) || byte === BACKSLASH) return true;
  }
  return false;
}

/** The members that are written behind the event's own; null when one of those is in the way. */
function addedTo(event: Members, { anonymizeIps, sentAtMember, ownMembers }: EventContext): string | null {
  if (!event.has(PROPERTY.$ip)) return anonymizeIps ? sentAtMember : ownMembers;
  return anonymizeIps || !event.isGiven(PROPERTY.$ip) || event.is(PROPERTY.$ip, '""') ? null : sentAtMember;
}

/** An object, of that size at most; where something is added it has a member. */
function hasRawProperties(event: Members, maxBytes: number, added: string): boolean {
  if (event.typeOf(EVENT.properties) !== OPEN_OBJECT) return false;
  const start = event.start(EVENT.properties);
  const end = event.end(EVENT.properties);
  return end - start <= maxBytes && (added === "" || skipBlanks(event.bytes, start + 1) < end - 1);
}

const BLANK = 0x20;
const HYPHEN = 0x2d;
const BACKSLASH = 0x5c;
const ASCII_MAX = 0x7f;
/** By byte: 1 for digits and a to f. */
const IS_HEX = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-f]/.test(String.fromCharCode(byte)) ? 1 : 0));
