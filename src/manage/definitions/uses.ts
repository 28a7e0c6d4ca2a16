import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";

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
    const named = namedIn(query);
    for (const kind of ["events", "properties"] as const) {
      for (const name of named[kind]) uses[kind].set(name, (uses[kind].get(name) ?? 0) + 1);
    }
  }
  return uses;
}

/** Names of events, and places of properties. */
export interface Named {
  events: Set<string>;
  properties: Set<string>;
}

/** What a query, the steps of an action or the filters of a cohort name outside of HogQL. */
export function namedIn(node: Json): Named {
  const named: Named = { events: new Set(), properties: new Set() };
  collect(node, named);
  return named;
}

const EVENT_KINDS: readonly unknown[] = ["EventsNode", "EventsQuery", "FunnelExclusionEventsNode"];

function collect(node: Json, named: Named): void {
  if (Array.isArray(node)) for (const item of node) collect(item, named);
  if (!isJsonObject(node)) return;
  const { kind, event, type = "event", id, key, property, breakdown, math_property: measured } = node;
  if (EVENT_KINDS.includes(kind) && typeof event === "string") named.events.add(event);
  if (type === "events" && typeof id === "string") named.events.add(id);
  if (type === "behavioral") collectBehavior(node, named);
  if (Array.isArray(node.steps)) collectSteps(node.steps, named);
  const owner = breakdown === undefined ? type : (node.breakdown_type ?? "event");
  if (typeof measured === "string") named.properties.add(propertyPlace("event", measured));
  for (const name of [key, property, breakdown].flat()) {
    if (typeof name === "string" && OWNERS.includes(owner)) named.properties.add(propertyPlace(String(owner), name));
  }
  for (const member of Object.values(node)) collect(member, named);
}

/** Of a cohort: what somebody did, and what it did then. */
function collectBehavior({ key, event_type, seq_event, seq_event_type }: JsonObject, { events }: Named): void {
  if (event_type === "events" && typeof key === "string") events.add(key);
  if (seq_event_type === "events" && typeof seq_event === "string") events.add(seq_event);
}

/** Of an action. */
function collectSteps(steps: readonly Json[], { events }: Named): void {
  for (const step of steps) {
    if (isJsonObject(step) && step.kind === undefined && typeof step.event === "string") events.add(step.event);
  }
}
