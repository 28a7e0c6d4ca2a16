import { OPEN_OBJECT } from "../../json/mod.ts";
import { DISTINCT_ID_MAX_CHARACTERS } from "../../persons/mod.ts";
import { Bits, EventFlag, RawEvent, UUID_BYTES } from "../../types/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import { type Members, skipBlanks } from "../outline/outline.ts";
import type { EventContext } from "./eventContext.ts";
import { eventTime } from "./eventTime.ts";
import { HINTED_NAMES, saysWhatItMeans } from "./hints.ts";
import { EVENT_NAME_MAX_UNITS, PERFORMANCE_EVENT } from "./normalise.ts";
import { NEVER_PERSONLESS, PERSON_KEYS } from "./personProperties.ts";
import { UNIT_MAX_BYTES } from "./text.ts";

/** With one of these an event is changed before it is stored, or may be. */
const CHANGING = new Bits([
  EVENT.$set,
  EVENT.$set_once,
  PROPERTY.capture_internal,
  PROPERTY.$sent_at,
  PROPERTY.$cookieless_mode,
  PROPERTY.$elements,
  PROPERTY.$elements_chain,
]);
const OF_PERSONS = new Bits(PERSON_KEYS);

/** First bytes of the names that mean something here: only for these a string is made. */
const MEANINGFUL = new Set([...HINTED_NAMES, ...NEVER_PERSONLESS, PERFORMANCE_EVENT].map((name) => name.charCodeAt(0)));

/**
 * The event, where it is stored as it was sent, as most events are; else null, and `normaliseEvent` decides. Where it gives an
 * event, `normaliseEvent` gives the same one at ten times the cost, since it makes strings.
 */
export function rawEvent(event: Members, context: EventContext): RawEvent | null {
  if (event.hasAny(CHANGING) || mayChangeSessionId(event)) return null;
  if (!hasRawName(event) || !hasRawDistinctId(event) || !event.isUuid(EVENT.uuid)) return null;
  const isPersonless = event.has(PROPERTY.$process_person_profile);
  if (isPersonless && (!event.is(PROPERTY.$process_person_profile, "false") || event.hasAny(OF_PERSONS))) return null;
  const { bytes } = event;
  const distinctIdStart = event.start(EVENT.distinct_id) + 1;
  const distinctIdEnd = event.end(EVENT.distinct_id) - 1;
  if (context.isNobody?.(bytes.toString("latin1", distinctIdStart, distinctIdEnd))) return null;
  const added = addedTo(event, context);
  if (added === null) return null;
  if (!hasRawProperties(event, context.eventMaxBytes - added.length * UNIT_MAX_BYTES, added)) return null;
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

function hasRawName(event: Members): boolean {
  if (!event.isPlain(EVENT.event)) return false;
  const start = event.start(EVENT.event) + 1;
  const end = event.end(EVENT.event) - 1;
  if (end === start || end - start > EVENT_NAME_MAX_UNITS) return false;
  return !MEANINGFUL.has(event.bytes[start]!) || isOrdinary(event, event.bytes.toString("latin1", start, end));
}

function isOrdinary(event: Members, name: string): boolean {
  if (NEVER_PERSONLESS.has(name) || name === PERFORMANCE_EVENT) return false; // all events that merge are among the former
  return saysWhatItMeans(event, name);
}

/** An id that begins with a blank may be all blanks, so it is left to `normaliseEvent`. */
function hasRawDistinctId(event: Members): boolean {
  if (!event.isPlain(EVENT.distinct_id)) return false;
  const start = event.start(EVENT.distinct_id) + 1;
  const end = event.end(EVENT.distinct_id) - 1;
  return end > start && end - start <= DISTINCT_ID_MAX_CHARACTERS && event.bytes[start] !== BLANK;
}

/** A uuid that is not in its canonical form is put into it. */
function mayChangeSessionId(event: Members): boolean {
  const key = PROPERTY.$session_id;
  if (!event.has(key) || event.isUuid(key)) return false;
  return !event.isPlain(key) || event.end(key) - event.start(key) === UUID_BYTES + 2;
}

/** The members that are written behind the event's own; null when one of those is in the way. */
function addedTo(event: Members, { anonymizeIps, sentAtMember, ownMembers }: EventContext): string | null {
  if (!event.has(PROPERTY.$ip)) return anonymizeIps ? sentAtMember : ownMembers;
  return anonymizeIps || !event.isGiven(PROPERTY.$ip) || event.is(PROPERTY.$ip, '""') ? null : sentAtMember;
}

/** An object, of that size at most, of which nothing must be cleaned; where something is added it has a member. */
function hasRawProperties(event: Members, maxBytes: number, added: string): boolean {
  if (event.typeOf(EVENT.properties) !== OPEN_OBJECT) return false;
  const { bytes } = event;
  const start = event.start(EVENT.properties);
  const end = event.end(EVENT.properties);
  if (end - start > maxBytes || (added !== "" && skipBlanks(bytes, start + 1) === end - 1)) return false;
  return !event.hasEscapes || !UNSURE_ESCAPES.some((unsure) => bytes.subarray(start, end).includes(unsure));
}

/** The begins of escapes that cannot be stored: NUL, and halves of surrogate pairs, which may be alone. */
const UNSURE_ESCAPES = ["\\u0000", "\\ud", "\\uD"];
const BLANK = 0x20;
