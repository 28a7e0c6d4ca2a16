import type { Json, JsonObject } from "../../../types/mod.ts";
import {
  addPage,
  addReferrer,
  deviceTypeName,
  idOf,
  objectOf,
  type Properties,
  systemName,
  textOf,
} from "../../mapping/mod.ts";

/** Members of parts of the context that are properties under another name. */
const PARTS: readonly (readonly [part: string, member: string, to: string])[] = [
  ["campaign", "source", "utm_source"],
  ["campaign", "medium", "utm_medium"],
  ["campaign", "name", "utm_campaign"],
  ["campaign", "term", "utm_term"],
  ["campaign", "content", "utm_content"],
  ["os", "version", "$os_version"],
  ["device", "manufacturer", "$device_manufacturer"],
  ["device", "model", "$device_model"],
  ["device", "name", "$device_name"],
  ["device", "id", "$device_id"],
  ["app", "name", "$app_name"],
  ["app", "version", "$app_version"],
  ["app", "build", "$app_build"],
  ["app", "namespace", "$app_namespace"],
  ["screen", "width", "$screen_width"],
  ["screen", "height", "$screen_height"],
  ["screen", "density", "$screen_density"],
  ["library", "name", "$lib"],
  ["library", "version", "$lib_version"],
  ["network", "bluetooth", "$network_bluetooth"],
  ["network", "carrier", "$network_carrier"],
  ["network", "cellular", "$network_cellular"],
  ["network", "wifi", "$network_wifi"],
  ["location", "city", "$geoip_city_name"],
  ["location", "country", "$geoip_country_name"],
  ["location", "region", "$geoip_subdivision_1_name"],
  ["location", "latitude", "$geoip_latitude"],
  ["location", "longitude", "$geoip_longitude"],
];

const MEMBERS: readonly (readonly [member: string, to: string])[] = [
  ["ip", "$ip"],
  ["userAgent", "$raw_user_agent"],
  ["locale", "$locale"],
  ["timezone", "$timezone"],
];

/** What the context of a call says, where the call's own properties do not say it. */
export function addContext(properties: Properties, context: JsonObject, groupType: string): void {
  for (const [member, to] of MEMBERS) properties.add(to, context[member]);
  for (const [part, member, to] of PARTS) properties.add(to, objectOf(context[part])?.[member]);
  addPageOf(properties, objectOf(context.page) ?? {});
  const system = textOf(objectOf(context.os)?.name);
  if (system !== null) properties.add("$os", systemName(system));
  const type = textOf(objectOf(context.device)?.type);
  if (type !== null) properties.add("$device_type", deviceTypeName(type));
  addGroup(properties, context.groupId, groupType);
}

/** A page's `url`, `path`, `referrer`, `title` and `search`, of a page call or of its context. */
export function addPageOf(properties: Properties, page: JsonObject): void {
  const path = textOf(page.path);
  properties.add("$pathname", path);
  addPage(properties, page.url);
  addReferrer(properties, page.referrer);
  properties.add("title", textOf(page.title));
  properties.add("$search", textOf(page.search));
}

/** `$groups` with one group. */
export function addGroup(properties: Properties, groupId: Json | undefined, groupType: string): void {
  const key = idOf(groupId);
  if (key === null) return;
  properties.set("$groups", { ...objectOf(properties.get("$groups")), [groupType]: key });
}
