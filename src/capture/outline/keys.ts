/**
 * The members of a body and of an event that the front looks at. The scan gives each its number, so that nothing else
 * has to be made into values; every other member is only text.
 */
const EVENT_KEYS = [
  "properties",
  "event",
  "distinct_id",
  "$distinct_id",
  "uuid",
  "timestamp",
  "offset",
  "$set",
  "$set_once",
  "api_key",
  "token",
  "$token",
  "batch",
  "sent_at",
  "historical_migration",
  // Of /i/v1/analytics/events only:
  "created_at",
  "session_id",
  "window_id",
  "options",
] as const;

const OWN_PROPERTY_KEYS = [
  "distinct_id",
  "token",
  "capture_internal",
  "$ip",
  "$sent_at",
  "$ignore_sent_at",
  "$cookieless_mode",
  "$session_id",
  "$elements",
  "$elements_chain",
  "$process_person_profile",
  "$set",
  "$set_once",
  "$unset",
  "$group_0",
  "$group_1",
  "$group_2",
  "$group_3",
  "$group_4",
  "alias",
  "$current_url",
  "$screen_name",
  "$survey_id",
  "$group_type",
  "$group_key",
  "$group_set",
] as const;

/** Numbers of an event's own members: `EVENT.timestamp`. */
export const EVENT = numbered(EVENT_KEYS, 0);
/** Numbers of members of `properties`: `PROPERTY.$ip`. */
export const PROPERTY = numbered(OWN_PROPERTY_KEYS, EVENT_KEYS.length);
/** Those from here on are of `properties`. */
export const FIRST_PROPERTY = EVENT_KEYS.length;
export const KEY_COUNT = EVENT_KEYS.length + OWN_PROPERTY_KEYS.length;

function numbered<K extends string>(keys: readonly K[], first: number): Record<K, number> {
  return Object.fromEntries(keys.map((key, i) => [key, first + i])) as Record<K, number>;
}

/** Numbers by name, as the scan looks them up: of an event's members, of a property's. */
export const EVENT_KEY_NUMBERS: ReadonlyMap<string, number> = new Map(EVENT_KEYS.map((key) => [key, EVENT[key]]));
export const PROPERTY_KEY_NUMBERS: ReadonlyMap<string, number> = new Map(
  OWN_PROPERTY_KEYS.map((key) => [key, PROPERTY[key]]),
);
