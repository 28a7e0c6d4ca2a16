import type { Json, PropertyOwner, PropertyType } from "../../types/mod.ts";
import { call, compare, constant, embedded, field } from "../hogql/syntax/build.ts";
import type { Embedded, Expression } from "../hogql/syntax/tree.ts";
import { invalidQuery, notSupported } from "../shape/errors.ts";
import { shown } from "../shape/shapes.ts";
import type { QueryContext } from "../source/context.ts";
import { groupIndexOf } from "../source/lookups.ts";
import { SESSION_FIELDS } from "../source/sessions.ts";

/** The property that a filter, a breakdown or a math of a node names. */
export interface SubjectNode {
  /** PostHog's word for the owner of the property; the event where absent. */
  type: Json;
  key: string;
  groupTypeIndex: Json;
}

/** A property as HogQL; NULL where the property is missing or JSON null. Properties of persons and groups are those of now. */
export interface Subject {
  /** The text that is stored. */
  text: Expression;
  /** The number in the text, else NULL. */
  number: Expression;
  /** The value that the definition promises; NULL where the text is no such value. */
  defined: Expression;
  /** What the project's definitions say that the property holds. */
  type: PropertyType | null;
}

/** A text that has no definition. */
export const textSubject = (text: Expression, type: PropertyType | null = null): Subject => ({
  text,
  number: call("toFloat", text),
  defined: text,
  type,
});

/** A property that HogQL reads by its definition. */
export function propertySubject(
  property: Expression,
  owner: PropertyOwner,
  key: string,
  context: QueryContext,
): Subject {
  const type = context.records.propertyType(owner, key);
  if (type === null || type === "String") return textSubject(property, type);
  const text = call("storedText", property);
  const isNumber = type === "Numeric" || type === "Duration";
  return { text, number: isNumber ? property : call("toFloat", text), defined: property, type };
}

/** The property of each event that a node names. Errors: TerminalError `invalid_query` that names the place. */
export function subjectOf({ type, key, groupTypeIndex }: SubjectNode, context: QueryContext, place: string): Subject {
  switch (type ?? "event") {
    case "event":
      return key === "$elements_chain" ? textSubject(field("elements_chain")) : eventProperty(key, context);
    case "feature":
      return textSubject(eventProperty(`$feature/${key}`, context).text);
    case "person":
      if (key === "distinct_id") return textSubject(field("distinct_id"));
      return propertySubject(field("person", "properties", key), { type: "person" }, key, context);
    case "group": {
      const index = groupIndexOf(groupTypeIndex);
      if (index === null) {
        throw invalidQuery(`${place}.group_type_index`, `must be 0 to 4, not ${shown(groupTypeIndex)}`);
      }
      return propertySubject(field(`group_${index}`, "properties", key), { type: "group", index }, key, context);
    }
    case "event_metadata":
      return textSubject(columnText(key, context, place));
    case "session": {
      const kind = SESSION_FIELDS.get(key)?.kind;
      if (kind === undefined) throw invalidQuery(`${place}.key`, `sessions have no ${shown(key)}`);
      const value = field("session", key);
      return textSubject(kind === "string" ? value : call("toString", value));
    }
    case "hogql":
      return textSubject(call("toString", hogqlOf(key, "value", context, place)));
    default:
      throw notSupported(`${place}.type`, `a property of type ${shown(type)}`);
  }
}

const eventProperty = (key: string, context: QueryContext): Subject =>
  propertySubject(field("properties", key), { type: "event" }, key, context);

/** HogQL of a user inside of a node. Errors: TerminalError `invalid_query` where none can be used. */
export function hogqlOf(text: string, use: Embedded["use"], { parsed }: QueryContext, place: string): Expression {
  if (parsed === undefined) throw invalidQuery(place, "HogQL cannot be used here");
  return embedded(parsed(text), use, place);
}

/** A column of the event itself. */
function columnText(key: string, context: QueryContext, place: string): Expression {
  switch (key) {
    case "event":
    case "distinct_id":
    case "elements_chain":
      return field(key);
    case "timestamp":
    case "created_at":
    case "uuid":
    case "person_id":
      return call("toString", field(key));
    case "person_mode":
      return call("if", compare(field(key), "==", constant("full")), constant("full"), constant("propertyless"));
  }
  if (/^\$(group_[0-4]|session_id|window_id)$/.test(key)) return eventProperty(key, context).text;
  throw invalidQuery(`${place}.key`, `events have no column ${shown(key)}`);
}
