import type { Fields } from "../../fields.ts";
import { deviceTypeName, listOf, objectOf, Properties, systemName, withoutNulls } from "../../mapping/mod.ts";
import { realText } from "./params.ts";

const DEVICE: readonly (readonly [from: string, to: string])[] = [
  ["operating_system_version", "$os_version"],
  ["mobile_brand_name", "$device_manufacturer"],
  ["mobile_model_name", "$device_model"],
  ["language", "$locale"],
  ["browser", "$browser"],
  ["browser_version", "$browser_version"],
];

const WEB: readonly (readonly [from: string, to: string])[] = [
  ["browser", "$browser"],
  ["browser_version", "$browser_version"],
  ["hostname", "$host"],
];

const GEO: readonly (readonly [from: string, to: string])[] = [
  ["country", "$geoip_country_name"],
  ["region", "$geoip_subdivision_1_name"],
  ["city", "$geoip_city_name"],
  ["continent", "$geoip_continent_name"],
];

const APP: readonly (readonly [from: string, to: string])[] = [
  ["id", "$app_namespace"],
  ["version", "$app_version"],
];

const CAMPAIGN: readonly (readonly [from: string, to: string])[] = [
  ["manual_source", "utm_source"],
  ["manual_medium", "utm_medium"],
  ["manual_campaign_name", "utm_campaign"],
  ["manual_term", "utm_term"],
  ["manual_content", "utm_content"],
  ["manual_campaign_id", "utm_id"],
  ["manual_source_platform", "utm_source_platform"],
  ["manual_creative_format", "utm_creative_format"],
  ["manual_marketing_tactic", "utm_marketing_tactic"],
  ["gclid", "gclid"],
  ["dclid", "dclid"],
  ["srsltid", "srsltid"],
];

const FIRST_TOUCH: readonly (readonly [from: string, to: string])[] = [
  ["source", "$initial_utm_source"],
  ["medium", "$initial_utm_medium"],
  ["name", "$initial_utm_campaign"],
];

/** What the records of a row say beside its parameters. */
export function addRecords(fields: Fields, properties: Properties): void {
  const device = fields.object("device") ?? {};
  const web = objectOf(device.web_info) ?? {};
  for (const [from, to] of WEB) properties.add(to, realText(web[from]));
  for (const [from, to] of DEVICE) properties.add(to, realText(device[from]));
  const system = realText(device.operating_system);
  if (system !== null) properties.add("$os", systemName(system));
  const category = realText(device.category);
  if (category !== null) properties.add("$device_type", deviceTypeName(category));
  const geo = fields.object("geo") ?? {};
  for (const [from, to] of GEO) properties.add(to, realText(geo[from]));
  const app = fields.object("app_info") ?? {};
  for (const [from, to] of APP) properties.add(to, realText(app[from]));
  const campaign = fields.object("collected_traffic_source") ?? {};
  for (const [from, to] of CAMPAIGN) properties.add(to, realText(campaign[from]));
  properties.add("$ga4_stream_id", fields.text("stream_id"));
  properties.add("$ga4_platform", fields.text("platform"));
}

/** `items`, `ecommerce` and the value in dollars. */
export function addPurchase(fields: Fields, properties: Properties): void {
  const items = listOf(fields.take("items"));
  if (items.length > 0) properties.set("items", withoutNulls(items));
  const ecommerce = new Properties(objectOf(withoutNulls(fields.object("ecommerce") ?? {})));
  if (!ecommerce.isEmpty) properties.set("ecommerce", ecommerce.toObject());
  properties.set("value_usd", fields.take("event_value_in_usd"));
}

/** Where the person came from first. */
export function firstTouchOf(fields: Fields): Properties {
  const once = new Properties();
  const source = fields.object("traffic_source") ?? {};
  for (const [from, to] of FIRST_TOUCH) once.set(to, realText(source[from]));
  return once;
}
