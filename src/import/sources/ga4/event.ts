import type { Fields } from "../../fields.ts";
import {
  addPage,
  addReferrer,
  canonicalJson,
  eventOf,
  identifies,
  idOf,
  microsTime,
  needName,
  numberOf,
  Properties,
  sessionIdOf,
  textOf,
} from "../../mapping/mod.ts";
import { type Mapped, RowRejected } from "../../types.ts";
import { uuidOf } from "../../uuid.ts";
import { addPurchase, addRecords, firstTouchOf } from "./context.ts";
import type { Ga4Options } from "./options.ts";
import { paramsOf } from "./params.ts";

const NAMES = new Map([
  ["page_view", "$pageview"],
  ["screen_view", "$screen"],
]);

/** Members that a row is known by, in this order. */
const IDENTITY = [
  "stream_id",
  "user_pseudo_id",
  "event_timestamp",
  "event_name",
  "event_bundle_sequence_id",
  "batch_page_id",
  "batch_ordering_id",
  "batch_event_index",
];

/** A row of `events_YYYYMMDD` in BigQuery. */
export function mapRow(fields: Fields, { drop, anonymous }: Ga4Options): Mapped {
  const name = needName(fields.text("event_name"));
  if (drop.has(name)) return { leftOut: `${name}, by --drop` };
  const atMs = microsTime(fields.take("event_timestamp"));
  const user = idOf(fields.take("user_id"));
  const device = idOf(fields.take("user_pseudo_id"));
  const params = paramsOf(fields.take("event_params"));
  const uuid = uuidOfRow(fields);
  const properties = propertiesOf(fields, params, user ?? device);
  if (user === null && device === null) {
    if (!anonymous) throw new RowRejected("no_id", "It has no user_id and no user_pseudo_id (no consent)");
    for (const name of ["$set", "$set_once"]) properties.take(name);
    properties.set("$process_person_profile", false);
    return { event: eventOf(uuid, NAMES.get(name) ?? name, nobody(fields, params, uuid), atMs, properties) };
  }
  const event = eventOf(uuid, NAMES.get(name) ?? name, user ?? device!, atMs, properties);
  return { event, firsts: identifies(user, device, atMs) };
}

/** Rows of old exports have no index in their batch: there the parameters tell them apart. */
function uuidOfRow(fields: Fields): string {
  const parts = IDENTITY.map((name) => fields.text(name) ?? "");
  if (fields.text("batch_event_index") !== null) return uuidOf("weir/ga4", ...parts);
  const params = paramsOf(fields.take("event_params")).toObject();
  return uuidOf("weir/ga4", ...parts, canonicalJson([params, fields.take("items") ?? []]));
}

/** An id for rows without any: the same for a session, and for one stream and day. */
function nobody(fields: Fields, params: Properties, uuid: string): string {
  const session = textOf(params.get("ga_session_id")) ?? fields.text("batch_page_id") ?? uuid;
  const day = fields.text("event_date") ?? "";
  return uuidOf("weir/ga4/anonymous", fields.text("stream_id") ?? "", day, session);
}

function propertiesOf(fields: Fields, params: Properties, id: string | null): Properties {
  const properties = new Properties(params.toObject());
  addPage(properties, properties.take("page_location"));
  addReferrer(properties, properties.take("page_referrer"));
  properties.rename("page_title", "title");
  properties.rename("firebase_screen", "$screen_name");
  addRecords(fields, properties);
  addPurchase(fields, properties);
  const session = numberOf(params.get("ga_session_id"));
  const device = fields.text("user_pseudo_id") ?? id;
  if (session !== null && device !== null) properties.set("$session_id", sessionIdOf(session * 1000, device, session));
  properties.merge("$set", paramsOf(fields.take("user_properties")));
  properties.merge("$set_once", firstTouchOf(fields));
  return properties;
}
