import type { Action, Cohort, EventDefinition, GroupType, PropertyDefinition } from "../api/schema.ts";
import { COLUMN_KEYS, ELEMENT_KEYS, eventLabel, propertyLabel, SESSION_KEYS, sessionFieldType } from "./names.ts";
import type { ValueType } from "./operators.ts";
import type { Findable } from "./search.ts";
import { eventWords, propertyWords } from "./searchWords.ts";
import type { PickedProperty } from "./types.ts";

/** An event that the project has had. */
export interface EventDef extends Findable {
  /** Of its definition. */
  id: string;
  /** Of the last 30 days; null where it is not known. */
  volume: number | null;
  lastSeenAt: string | null;
}

/** An action. */
export interface ActionDef extends Findable {
  id: number;
}

export interface CohortDef extends Findable {
  id: number;
  /** Persons; null while they are not counted. */
  count: number | null;
}

export interface PropertyDef extends Findable {
  /** Of its definition; absent where it is the same in all projects. */
  id?: string;
  type: PickedProperty["type"];
  groupTypeIndex?: number;
  valueType: ValueType;
}

export interface GroupTypeDef {
  index: number;
  /** As it is sent: "organization". */
  name: string;
}

/** What pickers show of an event. */
export function eventOf({ id, name, last_seen_at: lastSeenAt, volume_30_day: volume }: EventDefinition): EventDef {
  return { id, key: name, label: eventLabel(name), words: eventWords(name), weight: volume ?? 0, volume, lastSeenAt };
}

/** What pickers show of an action. */
export const actionOf = ({ id, name }: Action): ActionDef => ({ key: String(id), id, label: name ?? `Action ${id}` });

/** What pickers show of a cohort. */
export const cohortOf = ({ id, name, count }: Cohort): CohortDef => ({
  key: String(id),
  id,
  label: name ?? `Cohort ${id}`,
  count,
});

/** What pickers show of a type of groups. */
export const groupTypeOf = ({ group_type: name, group_type_index: index }: GroupType): GroupTypeDef => ({
  index,
  name,
});

/** A project's own properties come before those of SDKs, those with a good name before others. */
export function propertyOf(definition: PropertyDefinition): PropertyDef {
  const { id, name: key, type, group_type_index: index, property_type: valueType } = definition;
  const label = propertyLabel(key, type);
  const weight = !key.startsWith("$") ? 2 : label === key ? 0 : 1;
  const groupTypeIndex = index ?? undefined;
  return { id, key, label, words: propertyWords(key, type), weight, type, groupTypeIndex, valueType };
}

function fixed(type: PropertyDef["type"], key: string, valueType: ValueType): PropertyDef {
  return { type, key, label: propertyLabel(key, type), words: propertyWords(key, type), valueType };
}

/** Fields of sessions: all that there are. */
export const SESSION_PROPERTIES: readonly PropertyDef[] = SESSION_KEYS.map((key) =>
  fixed("session", key, sessionFieldType(key)),
);
/** What is known of elements that were clicked. */
export const ELEMENT_PROPERTIES: readonly PropertyDef[] = ELEMENT_KEYS.map((key) => fixed("element", key, "String"));
/** Columns of events. */
export const COLUMN_PROPERTIES: readonly PropertyDef[] = COLUMN_KEYS.map((key) =>
  fixed("event_metadata", key, key === "timestamp" ? "DateTime" : "String"),
);
