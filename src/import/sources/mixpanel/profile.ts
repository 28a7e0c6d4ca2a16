import type { Json } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import {
  canonicalJson,
  countryName,
  eventOf,
  fromWallClock,
  idOf,
  needId,
  objectOf,
  Properties,
  parseTime,
  storable,
  textOf,
} from "../../mapping/mod.ts";
import type { Mapped } from "../../types.ts";
import { uuidOf } from "../../uuid.ts";
import { PROFILE } from "./fields.ts";
import type { MixpanelOptions } from "./options.ts";

/**
 * A row of `/api/query/engage`: `{$distinct_id, $properties}`. It becomes a `$set` at the time when Mixpanel last saw the person; without such a
 * time a person with these properties.
 */
export function mapProfile(fields: Fields, { timezone }: MixpanelOptions): Mapped {
  const distinctId = needId(idOf(fields.take("$distinct_id")));
  const row = objectOf(fields.take("$properties")) ?? {};
  const set = new Properties(row);
  const seen = profileTime(set.take("$last_seen"), timezone);
  for (const [from, to] of PROFILE) set.rename(from, to);
  const country = textOf(set.get("$geoip_country_code"));
  if (country !== null) set.add("$geoip_country_name", countryName(country));
  if (seen === null) {
    const created = profileTime(row.$created, timezone);
    const createdAt = created === null ? null : new Date(created).toISOString();
    return { person: { distinct_ids: [distinctId], properties: set.toObject(), created_at: createdAt } };
  }
  const uuid = uuidOf("weir/mixpanel/profile", distinctId, seen, canonicalJson(row));
  return { event: eventOf(uuid, "$set", distinctId, seen, new Properties({ $set: set.toObject() })) };
}

/** A time of a profile, epoch milliseconds; null where there is none that can be read. */
export function profileTime(value: Json | undefined, timezone: string | null): number | null {
  const time = typeof value === "string" ? parseTime(value) : null;
  if (time === null) return null;
  return storable(timezone === null ? time : fromWallClock(time, timezone));
}
