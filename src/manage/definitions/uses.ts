import { isJsonObject, type Json } from "../../types/mod.ts";

/** How many insights name an event, or a property of events, persons or groups. */
interface Uses {
  events: Map<string, number>;
  /** By `propertyPlace`. */
  properties: Map<string, number>;
}

/** A property, whatever the number of the group type is. */
export const propertyPlace = (owner: string, name: string): string => `${owner} ${name}`;

const OWNERS: readonly unknown[] = ["event", "person", "group"];

/** What queries name outside of HogQL; each counts once for each query. */
export function usesIn(queries: readonly Json[]): Uses {
  const uses: Uses = { events: new Map(), properties: new Map() };
  for (const query of queries) {
    const named = { events: new Set<string>(), properties: new Set<string>() };
    collect(query, named);
    for (const kind of ["events", "properties"] as const) {
      for (const name of named[kind]) uses[kind].set(name, (uses[kind].get(name) ?? 0) + 1);
    }
  }
  return uses;
}

function collect(node: Json, named: { events: Set<string>; properties: Set<string> }): void {
  if (Array.isArray(node)) for (const item of node) collect(item, named);
  if (!isJsonObject(node)) return;
  const { kind, event, type = "event", id, key, property, breakdown, math_property: measured } = node;
  if ((kind === "EventsNode" || kind === "EventsQuery") && typeof event === "string") named.events.add(event);
  if (type === "events" && typeof id === "string") named.events.add(id);
  const owner = breakdown === undefined ? type : (node.breakdown_type ?? "event");
  if (typeof measured === "string") named.properties.add(propertyPlace("event", measured));
  for (const name of [key, property, breakdown].flat()) {
    if (typeof name === "string" && OWNERS.includes(owner)) named.properties.add(propertyPlace(String(owner), name));
  }
  for (const member of Object.values(node)) collect(member, named);
}
