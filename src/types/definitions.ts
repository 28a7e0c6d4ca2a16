/** What a property is said to hold (PostHog's names); a property without a type reads as text. */
export const PROPERTY_TYPES = ["String", "Numeric", "Boolean", "DateTime", "Duration"] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** What has a property; `index`: the number of the group's type. */
export type PropertyOwner = { type: "event" } | { type: "person" } | { type: "group"; index: number };

/** A property that arrived. */
export interface SeenProperty {
  owner: PropertyOwner;
  name: string;
  /** The type that the value tells; null where it tells none. */
  propertyType: PropertyType | null;
}

/** Events and properties that arrived for a project and may not be known yet. */
export interface SeenDefinitions {
  teamId: number;
  /** Names. */
  events: string[];
  properties: SeenProperty[];
}
