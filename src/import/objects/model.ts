import type { JsonObject } from "../../types/mod.ts";

/** Kinds of what people make in a project, in the order in which they are brought. */
export const OBJECT_KINDS = ["cohort", "action", "insight", "dashboard", "annotation", "alert"] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];
/** A number; of an alert its uuid. */
export type ObjectId = number | string;
export type DefinitionKind = "event_definition" | "property_definition";

/** Where an insight or a text stands on a dashboard. */
export interface Tile {
  /** The number of its insight, or the body of a text. */
  insight: number | null;
  text: string | null;
  layouts: JsonObject;
  color: string | null;
}

/** An object as it is carried over: its id there, and the members that are taken. */
export interface Carried {
  id: ObjectId;
  body: JsonObject;
  /** Of a static cohort: a distinct_id of each of its persons. */
  persons?: string[];
  /** Of a dashboard. */
  tiles?: Tile[];
}

/** All of a project that is no event, person or group. */
export interface ProjectObjects {
  settings: JsonObject;
  /** Names of group types by their number. */
  groupTypes: string[];
  /** Groups as they are there, as `groups/` tells them; absent where they are not read. */
  groups?: AsyncIterable<JsonObject>;
  definitions: Record<DefinitionKind, JsonObject[]>;
  objects: Record<ObjectKind, Carried[]>;
  /** What is there and cannot be carried. */
  left: LeftOut[];
}

export interface LeftOut {
  kind: string;
  /** Null for all of the kind. */
  id: ObjectId | null;
  name: string;
  reason: string;
}
