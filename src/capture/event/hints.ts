import { membersOf, OPEN_OBJECT } from "../../json/mod.ts";
import { mergeKindOf, mergeOf } from "../../persons/mod.ts";
import { type OutgoingEvent, textOf } from "../../types/mod.ts";
import { EVENT, PROPERTY } from "../outline/keys.ts";
import type { Members } from "../outline/outline.ts";
import { detailsOf } from "./distinctId.ts";
import type { EventContext } from "./eventContext.ts";

interface Expectation {
  /** Of the warning. */
  type: string;
  isMet(event: Members): boolean;
}

const ALIAS = lacks("missing_alias", (event) => isSaid(event, PROPERTY.alias) && !FALSY.has(event.raw(PROPERTY.alias)));
const SURVEY_ID = lacks("missing_survey_id", (event) => isSaid(event, PROPERTY.$survey_id));

/** What an event of a default kind must say to mean anything (docs/capture-api.md#quarantined-events). */
const EXPECTED: ReadonlyMap<string, Expectation[]> = new Map([
  ["$pageview", [lacks("missing_current_url", (event) => isSaid(event, PROPERTY.$current_url))]],
  ["$screen", [lacks("missing_screen_name", (event) => isSaid(event, PROPERTY.$screen_name))]],
  ["$identify", [lacks("missing_set", hasSet)]],
  ["$create_alias", [ALIAS]],
  ["$merge_dangerously", [ALIAS]],
  [
    "$groupidentify",
    [
      lacks("missing_group_type", (event) => isSaid(event, PROPERTY.$group_type)),
      lacks("missing_group_key", (event) => isSaid(event, PROPERTY.$group_key)),
      lacks("missing_group_set", (event) => event.typeOf(PROPERTY.$group_set) === OPEN_OBJECT),
    ],
  ],
  ["survey shown", [SURVEY_ID]],
  ["survey dismissed", [SURVEY_ID]],
  ["survey sent", [SURVEY_ID, lacks("missing_survey_response", hasResponse)]],
]);

/** Names of events that must have certain members. */
export const HINTED_NAMES: readonly string[] = [...EXPECTED.keys()];

/** Whether an event has all members that one of this name must have. */
export function saysWhatItMeans(event: Members, name: string): boolean {
  return EXPECTED.get(name)?.every(({ isMet }) => isMet(event)) ?? true;
}

/**
 * Warns of members that an event of this name should have and has not, and of ids that it cannot merge. The event is stored all
 * the same.
 */
export function hintAtMeaning(event: Members, accepted: OutgoingEvent, context: Pick<EventContext, "warn">): void {
  const expected = EXPECTED.get(accepted.event);
  if (expected === undefined) return;
  for (const { type, isMet } of expected) if (!isMet(event)) context.warn(type, detailsOf(event));
  if (mergeKindOf(accepted.event) === null) return;
  const merge = mergeOf({ ...accepted, properties: textOf(accepted.properties) });
  accepted.merge = merge; // found once, as the text may be long
  if (merge === null) return;
  const { kind, source, target, isCut } = merge;
  if (isCut) {
    const field = kind === "identify" ? "$anon_distinct_id" : "alias";
    context.warn("distinct_id_too_large", { ...detailsOf(event), field });
  }
  if (merge.illegal) context.warn("cannot_merge_with_illegal_distinct_id", { ...detailsOf(event), source, target });
}

function lacks(type: string, isMet: (event: Members) => boolean): Expectation {
  return { type, isMet };
}

const FALSY = new Set(["false", "0"]);

function isSaid(event: Members, key: number): boolean {
  return event.isGiven(key) && !event.is(key, '""');
}

/** Members by which an event sets properties of its person. */
const SAID_OF_PERSONS = [PROPERTY.$set, EVENT.$set, PROPERTY.$set_once, EVENT.$set_once];

function hasSet(event: Members): boolean {
  return SAID_OF_PERSONS.some((key) => event.typeOf(key) === OPEN_OBJECT);
}

/** Newer SDKs write one for each question, `$survey_response_<question>`. */
function hasResponse(event: Members): boolean {
  if (event.typeOf(EVENT.properties) !== OPEN_OBJECT) return false;
  return membersOf(event.raw(EVENT.properties))
    .keys()
    .some((key) => key.startsWith("$survey_response"));
}
