import type { JsonObject } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import {
  addPage,
  countryName,
  deviceTypeOf,
  epochTime,
  eventOf,
  fromWallClock,
  identifies,
  idOf,
  needId,
  needName,
  objectOf,
  Properties,
  storable,
  textOf,
} from "../../mapping/mod.ts";
import { type First, type Mapped, RowRejected } from "../../types.ts";
import { PERSONS, REMOVED, RENAMED } from "./fields.ts";
import { groupsOf } from "./group.ts";
import { distinctIdOf, uuidOfRow } from "./ids.ts";
import type { MixpanelOptions } from "./options.ts";

/** A row of `/api/2.0/export`: `{event, properties}`. */
export function mapEvent(fields: Fields, options: MixpanelOptions): Mapped {
  const { timezone } = options;
  const name = needName(fields.text("event"));
  const row = objectOf(fields.take("properties"));
  if (row === null) throw new RowRejected("not_an_object", "`properties` is no object");
  const time = epochTime(row.time);
  const atMs = timezone === null ? time : storable(fromWallClock(time, timezone));
  const properties = propertiesOf(row);
  properties.merge("$groups", groupsOf(row, options));
  const own = name === "$identify" ? identityOf(row) : null;
  if (own !== null) properties.set("$anon_distinct_id", own.device);
  const distinctId = own?.user ?? needId(distinctIdOf(row));
  const event = eventOf(uuidOfRow(name, row), eventName(name), distinctId, atMs, properties);
  return { event, firsts: linksOf(row, atMs), isNumbered: textOf(row.$insert_id) === null };
}

function eventName(name: string): string {
  return name === "$mp_web_page_view" ? "$pageview" : name;
}

/** The two ids that Mixpanel's own `$identify` connects, where it says them. */
function identityOf(row: JsonObject): { user: string; device: string } | null {
  const user = idOf(row.$identified_id);
  const device = idOf(row.$anon_id);
  return user === null || device === null ? null : { user, device };
}

/** A device is known by its id, and as `$device:…` before its user is. */
function linksOf(row: JsonObject, atMs: number): First[] {
  const user = idOf(row.$user_id);
  const device = idOf(row.$device_id);
  if (user === null || device === null) return [];
  return [...identifies(user, device, atMs), ...identifies(user, `$device:${device}`, atMs)];
}

function propertiesOf(row: JsonObject): Properties {
  const properties = new Properties(row);
  for (const name of REMOVED) properties.take(name);
  for (const [from, to] of RENAMED) properties.rename(from, to);
  const country = textOf(properties.get("$geoip_country_code"));
  if (country !== null) properties.add("$geoip_country_name", countryName(country));
  properties.add("$device_type", deviceTypeOf(textOf(row.$os), textOf(row.$model)));
  addPage(properties, row.$current_url);
  properties.set("$mixpanel_user_id", idOf(row.$user_id));
  properties.set("$mixpanel_device_id", idOf(row.$device_id));
  addPersons(properties);
  return properties;
}

function addPersons(properties: Properties): void {
  const set = new Properties();
  for (const name of PERSONS) set.set(name, properties.get(name));
  const once = new Properties();
  for (const name of properties.names()) if (name.startsWith("$initial_")) once.set(name, properties.get(name));
  properties.merge("$set", set);
  properties.merge("$set_once", once);
}
