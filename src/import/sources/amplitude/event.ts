import { parseUuid } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import {
  addPage,
  booleanOf,
  canonicalJson,
  eventOf,
  firstTime,
  identifies,
  idOf,
  integerOrSame,
  needId,
  needName,
  needObject,
  numberOf,
  Properties,
  sessionIdOf,
  textOf,
} from "../../mapping/mod.ts";
import type { Mapped } from "../../types.ts";
import { uuidOf } from "../../uuid.ts";
import { addDevice } from "./device.ts";
import { EMPTY, EVENT_PROPERTIES, MEMBERS, PERSONS } from "./fields.ts";
import { groupFirsts, groupsOf } from "./groups.ts";

const NAMES = new Map([
  ["[Amplitude] Page Viewed", "$pageview"],
  ["[Amplitude] Element Clicked", "$autocapture"],
  ["[Amplitude] Element Changed", "$autocapture"],
  ["[Amplitude] Screen Viewed", "$screen"],
]);

/** A row of the export: of the API, and of a project's export to a bucket. */
export function mapRow(fields: Fields): Mapped {
  const type = needName(fields.text("event_type"));
  if (type === "session_start") return { leftOut: "session_start: sessions are made of their events" };
  const user = idOf(fields.take("user_id"));
  const device = idOf(fields.take("device_id"));
  const distinctId = needId(user ?? device);
  const atMs = firstTime([
    fields.take("event_time"),
    fields.take("client_event_time"),
    fields.take("server_received_time"),
  ]);
  const firsts = [...identifies(user, device, atMs), ...groupFirsts(fields, atMs)];
  const properties = propertiesOf(fields, type);
  if (type === "$groupidentify" || (type === "$identify" && !saysMore(properties))) {
    return firsts.length > 0 ? { firsts } : { leftOut: `${type} that sets nothing` };
  }
  const name = type === "$identify" ? "$set" : (NAMES.get(type) ?? type);
  const { uuid, isNumbered } = uuidOfRow(fields, device);
  return { event: eventOf(uuid, name, distinctId, atMs, properties), firsts, isNumbered };
}

/** Whether there is something to set of the person. */
function saysMore(properties: Properties): boolean {
  return properties.get("$set") !== undefined || properties.get("$set_once") !== undefined;
}

function uuidOfRow(fields: Fields, device: string | null): { uuid: string; isNumbered: boolean } {
  const own = parseUuid(fields.text("uuid") ?? "");
  if (own !== null) return { uuid: own, isNumbered: false };
  const insertId = fields.text("$insert_id");
  if (insertId === null) return { uuid: uuidOf("weir/amplitude", canonicalJson(fields.row)), isNumbered: true };
  const uuid = uuidOf("weir/amplitude", fields.text("amplitude_id") ?? "", device ?? "", insertId);
  return { uuid, isNumbered: false };
}

function propertiesOf(fields: Fields, type: string): Properties {
  // Rows of these two have no properties of their own.
  const isChange = type === "$identify" || type === "$groupidentify";
  const own = needObject(fields, "event_properties");
  const properties = new Properties(own);
  for (const [from, to] of EVENT_PROPERTIES) properties.set(to, own[from]);
  addPage(properties, own["[Amplitude] Page URL"]);
  for (const [from, to] of MEMBERS) properties.set(to, fields.take(from));
  properties.set("$device_id", textOf(fields.take("device_id")));
  addDevice(fields, properties);
  properties.set("$amplitude_paying", booleanOf(fields.take("paying")));
  const eventId = integerOrSame(fields.text("event_id"));
  if (eventId !== 0) properties.set("$amplitude_event_id", eventId);
  addSession(fields, properties);
  properties.merge("$groups", groupsOf(fields));
  addPersons(fields, properties, isChange);
  return properties;
}

function addSession(fields: Fields, properties: Properties): void {
  const session = numberOf(fields.take("session_id"));
  if (session === null || session <= 0) return;
  properties.set("$amplitude_session_id", session);
  properties.set("$session_id", sessionIdOf(session, fields.text("device_id") ?? "", session));
}

/** User properties of the row: `initial_…` keep their first value, the others their last. */
function addPersons(fields: Fields, properties: Properties, isChange: boolean): void {
  const user = needObject(fields, "user_properties");
  const set = new Properties();
  const once = new Properties();
  for (const [name, value] of Object.entries(user)) {
    if (value === EMPTY) continue;
    if (name.startsWith("initial_")) once.set(`$${name}`, value);
    else set.set(name, value);
  }
  if (!isChange) for (const name of PERSONS) set.add(name, properties.get(name));
  properties.merge("$set", set);
  properties.merge("$set_once", once);
}
