import { cleanText } from "../properties/mod.ts";
import { type DropCause, EventFlag, type OutgoingEvent, parseUuid } from "../types/mod.ts";
import { distinctIdOf } from "./distinctId.ts";
import { takeElementsChain } from "./elements.ts";
import { type Clocks, eventTime } from "./eventTime.ts";
import { EVENT, PROPERTY } from "./keys.ts";
import { type Members, OPEN_OBJECT, QUOTE } from "./outline.ts";
import { writePersonProperties } from "./personProperties.ts";
import { PropertiesEdit } from "./propertiesEdit.ts";
import { cleanJson, cutUnits, isLongerThan } from "./text.ts";

/** All that an event's meaning depends on besides itself. */
export interface EventContext extends Clocks {
  teamId: number;
  /** The property that is stored of `sentAtMs`; "" when it is not known. */
  sentAtMember: string;
  /** The property that is stored of the client's address; "" when it is not known. */
  ipMember: string;
  /** No address is stored, whoever sent it. */
  anonymizeIps: boolean;
  /** An event whose properties and elements take more than this is set aside. */
  eventMaxBytes: number;
  /** What an event without a name is called; null where it must have one. */
  defaultName: string | null;
  /** The uuid of an event that has none. */
  newUuid(): string;
  /** `EventFlag.ServerUuid` when no copy can get the same of `newUuid`, else 0. */
  newUuidFlag: number;
  warn(type: string, details: Record<string, string | null>): void;
}

const EVENT_NAME_MAX_UNITS = 200;
const GROUP_KEYS = [PROPERTY.$group_0, PROPERTY.$group_1, PROPERTY.$group_2, PROPERTY.$group_3, PROPERTY.$group_4];
/** They are about persons and groups alone, so that they mean nothing in an event that is to make none. */
const NEVER_PERSONLESS = new Set(["$identify", "$create_alias", "$merge_dangerously", "$groupidentify"]);

/**
 * The event as it is to be stored, or why it is set aside, which is also warned of. `event` is null for an item that is
 * no object. Pure but for `warn`: same arguments, same result.
 */
export function normaliseEvent(event: Members | null, context: EventContext): OutgoingEvent | DropCause {
  const result = event === null ? "invalid_event" : accept(event, context);
  if (typeof result === "string" && result !== "performance_event") context.warn(result, detailsOf(event));
  return result;
}

function accept(event: Members, context: EventContext): OutgoingEvent | DropCause {
  if (event.isGiven(EVENT.properties) && event.typeOf(EVENT.properties) !== OPEN_OBJECT) return "invalid_event";
  const name = event.has(EVENT.event) ? event.string(EVENT.event) : context.defaultName;
  if (name === null || name === "") return "missing_event_name";
  if (name === "$performance_event") return "performance_event";
  const distinctId = distinctIdOf(event);
  if (distinctId === null) return "missing_distinct_id";
  const ownUuid = ownUuidOf(event);
  if (ownUuid === null) return "invalid_uuid";
  const isPersonless = event.is(PROPERTY.$process_person_profile, "false");
  if (isPersonless && NEVER_PERSONLESS.has(name)) return "invalid_event_when_process_person_profile_is_false";

  const time = eventTime(event, context);
  if (time.isUnreadable) {
    context.warn("ignored_invalid_timestamp", { ...detailsOf(event), timestamp: event.raw(EVENT.timestamp) });
  }
  const edit = new PropertiesEdit(event);
  const elementsChain = takeElementsChain(event, edit);
  writeOwn(event, edit, context);
  if (isPersonless) removePersonProperties(edit);
  else {
    dropProfileFlag(event, edit, context);
    writePersonProperties(event, edit);
  }
  const { properties, added } = edit.finish();
  const sizeMax = context.eventMaxBytes - elementsChain.length - added.length;
  if (isLongerThan(properties, sizeMax)) return "message_size_too_large";
  return {
    teamId: context.teamId,
    uuid: ownUuid === "" ? context.newUuid() : ownUuid,
    event: cutUnits(cleanText(name), EVENT_NAME_MAX_UNITS),
    distinctId,
    timestampMs: time.ms,
    properties: event.hasEscapes ? cleanJson(properties) : properties,
    added: event.hasEscapes ? cleanJson(added) : added,
    elementsChain,
    flags:
      (ownUuid === "" ? context.newUuidFlag : 0) |
      (time.isServerTime ? EventFlag.ServerTime : 0) |
      (isPersonless ? EventFlag.Personless : 0),
    mergedAtMs: 0,
    mergeSequence: 0,
  };
}

/** "" when it has none, null when what it has is none. */
function ownUuidOf(event: Members): string | null {
  if (!event.isGiven(EVENT.uuid)) return "";
  const text = event.string(EVENT.uuid);
  return text === null || text === "" ? text : parseUuid(text);
}

/** The properties that the front makes or puts in form. */
function writeOwn(event: Members, edit: PropertiesEdit, context: EventContext): void {
  if (context.sentAtMember !== "") {
    edit.remove(PROPERTY.$sent_at);
    edit.add(context.sentAtMember);
  }
  writeIp(event, edit, context);
  const sessionId = event.has(PROPERTY.$session_id) ? event.string(PROPERTY.$session_id) : null;
  if (sessionId !== null && /[A-F]/.test(sessionId)) {
    const uuid = sessionId.length === 36 ? parseUuid(sessionId) : null;
    if (uuid !== null) {
      edit.remove(PROPERTY.$session_id);
      edit.add(`"$session_id":"${uuid}"`);
    }
  }
}

function writeIp(event: Members, edit: PropertiesEdit, context: EventContext): void {
  if (context.anonymizeIps) {
    edit.remove(PROPERTY.$ip);
    return;
  }
  if (event.isGiven(PROPERTY.$ip) && !event.is(PROPERTY.$ip, '""')) return;
  const member = event.has(PROPERTY.capture_internal) ? '"$ip":"127.0.0.1"' : context.ipMember;
  if (member === "") return;
  edit.remove(PROPERTY.$ip);
  edit.add(member);
}

function removePersonProperties(edit: PropertiesEdit): void {
  edit.remove(PROPERTY.$set);
  edit.remove(PROPERTY.$set_once);
  edit.remove(PROPERTY.$unset);
  for (const key of GROUP_KEYS) edit.remove(key);
}

/** On a full event it says nothing. */
function dropProfileFlag(event: Members, edit: PropertiesEdit, context: EventContext): void {
  const key = PROPERTY.$process_person_profile;
  if (!event.has(key)) return;
  if (!event.is(key, "true")) {
    const value = event.raw(key);
    context.warn("invalid_process_person_profile", { ...detailsOf(event), $process_person_profile: value });
  }
  edit.remove(key);
}

/** What helps to find the sender. */
function detailsOf(event: Members | null): Record<string, string | null> {
  if (event === null) return {};
  return {
    event: textOf(event, EVENT.event),
    distinct_id: textOf(event, event.isGiven(EVENT.distinct_id) ? EVENT.distinct_id : PROPERTY.distinct_id),
    uuid: textOf(event, EVENT.uuid),
  };
}

function textOf(event: Members, key: number): string | null {
  if (!event.isGiven(key)) return null;
  return cleanText(event.typeOf(key) === QUOTE ? event.string(key)! : event.raw(key));
}
