import { DAY_MS, type JsonObject } from "../../types/mod.ts";
import type { Fields } from "../fields.ts";
import { type First, type ImportedEvent, RowRejected } from "../types.ts";
import { uuidOf } from "../uuid.ts";
import type { Properties } from "./properties.ts";
import { canonicalJson } from "./values.ts";

/** An event at a time in epoch milliseconds. */
export function eventOf(
  uuid: string,
  event: string,
  distinctId: string,
  atMs: number,
  properties: Properties,
): ImportedEvent {
  return {
    uuid,
    event,
    distinct_id: distinctId,
    timestamp: new Date(atMs).toISOString(),
    properties: properties.toObject(),
  };
}

/** A name of an event. Throws RowRejected `no_event` where there is none. */
export function needName(name: string | null): string {
  if (name === null || name.trim() === "") throw new RowRejected("no_event", "It has no name of an event");
  return name;
}

/** The object of a member, or one without members where it says nothing. Throws RowRejected `not_an_object` for all else. */
export function needObject(fields: Fields, name: string): JsonObject {
  const found = fields.object(name);
  if (found !== null) return found;
  const value = fields.take(name) ?? "";
  // PHP writes an object without members as a list.
  if (value === "" || (Array.isArray(value) && value.length === 0)) return {};
  throw new RowRejected("not_an_object", `\`${name}\` is no object`);
}

/** An id of a person. Throws RowRejected `no_id` where there is none. */
export function needId(id: string | null): string {
  if (id === null) throw new RowRejected("no_id", "It says of nobody whose event it is");
  return id;
}

/** The `$identify` that connects a device with a user, made once for the two. Nothing where one is missing or they are the same. */
export function identifies(user: string | null, device: string | null, atMs: number): First[] {
  if (user === null || device === null || user === device) return [];
  return [
    {
      key: `identify ${JSON.stringify([user, device])}`,
      atMs,
      // Made when it is asked for: most rows ask for what is known already.
      get event() {
        return {
          uuid: uuidOf("weir/identify", user, device),
          event: "$identify",
          distinct_id: user,
          properties: { $anon_distinct_id: device },
        };
      },
      link: { device, user },
    },
  ];
}

/**
 * The `$groupidentify` that sets these properties of a group, made once a day for each of their states: a state that comes back on a later day
 * is said again. It belongs to nobody, as those of servers do: `$company_acme`.
 */
export function groupIdentifies(type: string, key: string, set: JsonObject, atMs: number): First {
  const day = Math.floor(atMs / DAY_MS);
  const state = canonicalJson(set);
  return {
    key: `groupidentify ${JSON.stringify([type, key, day, state])}`,
    atMs,
    get event() {
      return {
        uuid: uuidOf("weir/groupidentify", type, key, day, state),
        event: "$groupidentify",
        distinct_id: `$${type}_${key}`,
        properties: { $group_type: type, $group_key: key, $group_set: set },
      };
    },
  };
}
