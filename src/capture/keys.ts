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
  "$os_name",
] as const;

/** Properties of events that also become properties of the person (reference: capture, 2.4). */
const PERSON_KEYS =
  `$app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname $os
  $os_version $referring_domain $referrer $screen_height $screen_width $viewport_height $viewport_width $raw_user_agent
  utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid wbraid fbclid
  msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`.split(/\s+/);

/** Numbers of an event's own members: `EVENT.timestamp`. */
export const EVENT = numbered(EVENT_KEYS, 0);
/** Numbers of members of `properties`: `PROPERTY.$ip`. */
export const PROPERTY = numbered(OWN_PROPERTY_KEYS, EVENT_KEYS.length);
/** From this number on: properties that become properties of the person. */
export const FIRST_PERSON_KEY = EVENT_KEYS.length + OWN_PROPERTY_KEYS.length;
export const KEY_COUNT = FIRST_PERSON_KEY + PERSON_KEYS.length;

/** `$initial_browser` of `$browser`. */
const INITIAL_KEYS = PERSON_KEYS.map((key) => initialKey(key));

export function initialKey(key: string): string {
  return `$initial_${key.replace("$", "")}`;
}

/** Name of a property by its number, from `FIRST_PERSON_KEY` on, and its twin that keeps the first value. */
export const personKeyName = (key: number): string => PERSON_KEYS[key - FIRST_PERSON_KEY]!;
export const initialKeyName = (key: number): string => INITIAL_KEYS[key - FIRST_PERSON_KEY]!;

function numbered<K extends string>(keys: readonly K[], first: number): Record<K, number> {
  return Object.fromEntries(keys.map((key, i) => [key, first + i])) as Record<K, number>;
}

/** What the scan knows members by: names of an event's members, of a property's. */
export const EVENT_KEY_NUMBERS: ReadonlyMap<string, number> = new Map(EVENT_KEYS.map((key) => [key, EVENT[key]]));
export const PROPERTY_KEY_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...OWN_PROPERTY_KEYS.map((key): [string, number] => [key, PROPERTY[key]]),
  ...PERSON_KEYS.map((key, i): [string, number] => [key, FIRST_PERSON_KEY + i]),
]);
