import { membersOf, OPEN_OBJECT, printMembers } from "../../json/mod.ts";
import type { DropCause } from "../../types/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";
import { detailsOf } from "./distinctId.ts";
import type { EventContext } from "./eventContext.ts";
import type { PropertiesEdit } from "./propertiesEdit.ts";

type PersonMode = "full" | "personless";

/** Events about persons and groups alone: without a person they would mean nothing. */
export const NEVER_PERSONLESS: ReadonlySet<string> = new Set([
  "$identify",
  "$create_alias",
  "$merge_dangerously",
  "$groupidentify",
]);
/** Members that an event without a person may not have. */
export const PERSON_KEYS = [
  PROPERTY.$set,
  PROPERTY.$set_once,
  PROPERTY.$unset,
  PROPERTY.$group_0,
  PROPERTY.$group_1,
  PROPERTY.$group_2,
  PROPERTY.$group_3,
  PROPERTY.$group_4,
];

/**
 * Whether the event makes a person, or why it cannot be stored. Cookieless events have no id of their own, and none is
 * made of addresses here: they are kept without a person, or all visitors would be one.
 */
export function personModeOf(
  event: Members,
  name: string,
  distinctId: string,
  context: Pick<EventContext, "isNobody" | "warn">,
): PersonMode | DropCause {
  const isCookieless = event.is(PROPERTY.$cookieless_mode, "true");
  if (!isCookieless && event.isGiven(PROPERTY.$cookieless_mode) && !event.is(PROPERTY.$cookieless_mode, "false")) {
    return "invalid_cookieless_mode";
  }
  if (event.is(PROPERTY.$process_person_profile, "false")) {
    return NEVER_PERSONLESS.has(name) ? "invalid_event_when_process_person_profile_is_false" : "personless";
  }
  if (isCookieless) context.warn("cookieless_mode_not_supported", detailsOf(event));
  else if (context.isNobody?.(distinctId)) context.warn("person_processing_disabled", detailsOf(event));
  else return "full";
  return "personless";
}

/**
 * What the event says of its person: `$set` and `$set_once` beside `properties` go into those in them and win
 * (docs/persons.md#properties). What else it says is derived when it is stored (`src/persons`), so that no text is
 * kept twice.
 */
export function writePersonProperties(
  event: Members,
  mode: PersonMode,
  edit: PropertiesEdit,
  context: Pick<EventContext, "warn">,
): void {
  if (mode === "full") {
    dropProfileFlag(event, edit, context);
    merge(event, EVENT.$set, PROPERTY.$set, "$set", edit);
    merge(event, EVENT.$set_once, PROPERTY.$set_once, "$set_once", edit);
    return;
  }
  for (const key of PERSON_KEYS) edit.remove(key);
  if (event.is(PROPERTY.$process_person_profile, "false")) return;
  edit.remove(PROPERTY.$process_person_profile);
  edit.add(',"$process_person_profile":false');
}

function merge(event: Members, beside: number, inside: number, name: string, edit: PropertiesEdit): void {
  if (event.typeOf(beside) !== OPEN_OBJECT) return;
  const all = event.typeOf(inside) === OPEN_OBJECT ? membersOf(event.raw(inside)) : new Map<string, string>();
  for (const [key, value] of membersOf(event.raw(beside))) all.set(key, value);
  edit.remove(inside);
  edit.add(`,"${name}":{${printMembers(all)}}`);
}

/** An event with a person needs no such flag. */
function dropProfileFlag(event: Members, edit: PropertiesEdit, context: Pick<EventContext, "warn">): void {
  const key = PROPERTY.$process_person_profile;
  if (!event.has(key)) return;
  if (!event.is(key, "true")) {
    const value = event.raw(key);
    context.warn("invalid_process_person_profile", { ...detailsOf(event), $process_person_profile: value });
  }
  edit.remove(key);
}
