import type { AcceptedEvent } from "../types/mod.ts";
import { parseExact } from "./distinctId.ts";
import { eachMember, keyText, membersOf } from "./members.ts";
import { type AutomaticProperty, automaticOf } from "./numbers.ts";

/** What a full event says of its person. Values are JSON texts, as the client wrote them. */
export interface PersonChanges {
  /** What the event's own properties say of the person; what the client says in so many words wins over it. */
  automatic: readonly { property: AutomaticProperty; value: string }[];
  set: ReadonlyMap<string, string>;
  once: ReadonlyMap<string, string>;
  unset: readonly string[];
}

const NOTHING: PersonChanges = { automatic: [], set: new Map(), once: new Map(), unset: [] };
const EMPTY = new Map<string, string>();

/** Events that say nothing of the properties of a person (reference: capture, 3.2). */
const WITHOUT = new Set(["$exception", "$$heatmap", "$groupidentify"]);
const WITHOUT_AUTOMATIC = new Set(["$snapshot", "$performance_event"]);

/** Reads them from the event's text (reference: capture, 2.4 and 3.2). The event must not be personless. */
export function personChanges(event: Pick<AcceptedEvent, "event" | "timestampMs" | "properties">): PersonChanges {
  if (WITHOUT.has(event.event)) return NOTHING;
  const text = event.properties;
  const takesAutomatic = !WITHOUT_AUTOMATIC.has(event.event);
  const automatic: { property: AutomaticProperty; value: string }[] = [];
  let [set, once, unset] = ["", "", ""];
  eachMember(text, (keyStart, keyEnd, valueStart, valueEnd) => {
    const key = keyText(text, keyStart, keyEnd);
    const property = takesAutomatic ? automaticOf(key) : undefined;
    if (property !== undefined) {
      const value = text.slice(valueStart, valueEnd);
      const twin = automatic.findIndex((given) => given.property === property);
      if (twin < 0) automatic.push({ property, value });
      // Of equal keys the last counts; of `$os` and its other name, `$os`.
      else if (key === property.key) automatic[twin] = { property, value };
    } else if (key === "$set") set = text.slice(valueStart, valueEnd);
    else if (key === "$set_once") once = text.slice(valueStart, valueEnd);
    else if (key === "$unset") unset = text.slice(valueStart, valueEnd);
  });
  return {
    automatic,
    set: surveyShown(event, set === "" ? EMPTY : membersOf(set)),
    once: once === "" ? EMPTY : membersOf(once),
    unset: unset === "" ? [] : unsetKeys(unset),
  };
}

function surveyShown(event: Pick<AcceptedEvent, "event" | "timestampMs">, set: Map<string, string>) {
  if (event.event !== "survey shown" || set.has("$survey_last_seen_date")) return set;
  return new Map(set).set("$survey_last_seen_date", JSON.stringify(new Date(event.timestampMs).toISOString()));
}

/** A list of keys, or an object whose keys are meant. */
function unsetKeys(text: string): string[] {
  if (text.startsWith("{")) return [...membersOf(text).keys()];
  const value = parseExact(text);
  return Array.isArray(value) ? value.filter((key) => typeof key === "string") : [];
}
