import { cleanJson, cleanText, OPEN_OBJECT } from "../../json/mod.ts";
import { type DropCause, EventFlag, type OutgoingEvent, parseUuid, textOf } from "../../types/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";
import { detailsOf, distinctIdOf } from "./distinctId.ts";
import { takeElementsChain } from "./elements.ts";
import type { EventContext } from "./eventContext.ts";
import { eventTime } from "./eventTime.ts";
import { hintAtMeaning } from "./hints.ts";
import { personModeOf, writePersonProperties } from "./personProperties.ts";
import { PropertiesEdit } from "./propertiesEdit.ts";
import { areLongerThan, cutUnits } from "./text.ts";

export const EVENT_NAME_MAX_UNITS = 200;
/** An old library sends it; it is not stored. */
export const PERFORMANCE_EVENT = "$performance_event";

/**
 * The event as it is to be stored, or the cause for which it is set aside, of which a warning is given too. Pure but for `warn`: same arguments,
 * same result.
 */
export function normaliseEvent(event: Members, context: EventContext): OutgoingEvent | DropCause {
  const result = accept(event, context);
  if (typeof result === "string") {
    if (result !== "performance_event") context.warn(result, detailsOf(event));
  } else hintAtMeaning(event, result, context);
  return result;
}

function accept(event: Members, context: EventContext): OutgoingEvent | DropCause {
  if (event.isGiven(EVENT.properties) && event.typeOf(EVENT.properties) !== OPEN_OBJECT) return "invalid_event";
  const name = event.isGiven(EVENT.event) ? event.string(EVENT.event) : context.defaultName;
  if (name === null || name === "") return "missing_event_name";
  if (name === PERFORMANCE_EVENT) return "performance_event";
  const found = distinctIdOf(event);
  if (found === null) return "missing_distinct_id";
  const { id: distinctId, isCut } = found;
  const ownUuid = ownUuidOf(event);
  if (ownUuid === null) return "invalid_uuid";
  const mode = personModeOf(event, name, distinctId, context);
  if (mode !== "full" && mode !== "personless") return mode;

  if (isCut) context.warn("distinct_id_too_large", { ...detailsOf(event), field: "distinct_id" });
  const time = eventTime(event, context);
  if (time.isUnreadable) {
    context.warn("ignored_invalid_timestamp", { ...detailsOf(event), timestamp: event.raw(EVENT.timestamp) });
  }
  const edit = new PropertiesEdit(event);
  const elementsChain = takeElementsChain(event, edit);
  writeOwn(event, edit, context);
  writePersonProperties(event, mode, edit, context);
  const { properties, added } = edit.finish();
  if (areLongerThan([properties, added, elementsChain], context.eventMaxBytes)) return "message_size_too_large";
  return {
    teamId: context.teamId,
    uuid: ownUuid === "" ? context.newUuid() : ownUuid,
    event: cutUnits(event.hasEscapes ? cleanText(name) : name, EVENT_NAME_MAX_UNITS),
    distinctId,
    timestampMs: time.ms,
    properties: event.hasEscapes ? cleanJson(textOf(properties)) : properties,
    added: event.hasEscapes ? cleanJson(added) : added,
    elementsChain,
    flags:
      (ownUuid === "" ? context.newUuidFlag : 0) |
      (time.isServerTime ? EventFlag.ServerTime : 0) |
      (mode === "personless" ? EventFlag.Personless : 0),
    mergedAtMs: 0,
    mergeSequence: 0,
  };
}

/** "" when it has none, null when it is not a uuid. */
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
      edit.add(`,"$session_id":"${uuid}"`);
    }
  }
}

function writeIp(event: Members, edit: PropertiesEdit, context: EventContext): void {
  if (context.anonymizeIps) {
    edit.remove(PROPERTY.$ip);
    return;
  }
  if (event.isGiven(PROPERTY.$ip) && !event.is(PROPERTY.$ip, '""')) return;
  const member = event.has(PROPERTY.capture_internal) ? ',"$ip":"127.0.0.1"' : context.ipMember;
  if (member === "") return;
  edit.remove(PROPERTY.$ip);
  edit.add(member);
}
