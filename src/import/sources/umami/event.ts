import type { Fields } from "../../fields.ts";
import {
  countryName,
  deviceTypeName,
  eventOf,
  firstTime,
  identifies,
  idOf,
  needId,
  needName,
  numberOf,
  Properties,
  systemName,
  versionInName,
} from "../../mapping/mod.ts";
import { type Mapped, RowRejected } from "../../types.ts";
import { uuidFrom } from "../../uuid.ts";
import { browserName } from "./names.ts";
import type { UmamiOptions } from "./options.ts";
import { addPages } from "./page.ts";

/** Columns that are properties under the same name. */
const SAME = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "gclid",
  "fbclid",
  "msclkid",
  "ttclid",
  "li_fat_id",
  "twclid",
  "tag",
];

const PAGE_VIEW = 1;

/** A row of `website_event`, with the columns of its session. */
export function mapRow(fields: Fields, { website, data }: UmamiOptions): Mapped {
  const own = fields.text("website_id");
  if (website !== null && own !== website) return { leftOut: "of another website" };
  const id = fields.text("event_id");
  if (id === null) throw new RowRejected("bad_id", "It has no event_id");
  const user = idOf(fields.take("distinct_id"));
  const session = idOf(fields.take("session_id"));
  const atMs = firstTime([fields.take("created_at")]);
  const properties = new Properties(data(id).toObject());
  const name = nameOf(fields);
  addPages(fields, properties);
  addVisitor(fields, properties);
  for (const column of SAME) properties.add(column, fields.text(column));
  properties.set("$session_id", idOf(fields.take("visit_id")));
  properties.set("$umami_website_id", own);
  const event = eventOf(uuidFrom("weir/umami", id), name, needId(user ?? session), atMs, properties);
  return { event, firsts: identifies(user, session, atMs) };
}

function nameOf(fields: Fields): string {
  const name = fields.text("event_name");
  const type = numberOf(fields.take("event_type"));
  if (type === PAGE_VIEW || (type === null && name === null)) return "$pageview";
  return needName(name);
}

function addVisitor(fields: Fields, properties: Properties): void {
  const browser = fields.text("browser");
  if (browser !== null) properties.add("$browser", browserName(browser));
  const system = fields.text("os");
  if (system !== null) {
    properties.add("$os", systemName(system));
    properties.add("$os_version", versionInName(system));
  }
  const device = fields.text("device");
  if (device !== null) properties.add("$device_type", deviceTypeName(device));
  const screen = /^(\d{1,6})x(\d{1,6})$/.exec(fields.text("screen") ?? "");
  properties.add("$screen_width", screen === null ? null : Number(screen[1]));
  properties.add("$screen_height", screen === null ? null : Number(screen[2]));
  properties.add("$browser_language", fields.text("language"));
  const country = fields.text("country");
  properties.add("$geoip_country_code", country);
  if (country !== null) properties.add("$geoip_country_name", countryName(country));
  properties.add("$geoip_subdivision_1_code", fields.text("region")?.replace(/^[A-Z]{2}-/, ""));
  properties.add("$geoip_city_name", fields.text("city"));
}
