/** Properties that say how Mixpanel took an event in; and those that are an event's identity. */
export const REMOVED = [
  "time",
  "distinct_id",
  "$insert_id",
  "$mp_api_endpoint",
  "mp_processing_time_ms",
  "$geo_source",
  "$mp_api_timestamp_ms",
];

/** Properties that Weir's clients name in another way. */
export const RENAMED: readonly (readonly [from: string, to: string])[] = [
  ["$city", "$geoip_city_name"],
  ["$region", "$geoip_subdivision_1_name"],
  ["mp_country_code", "$geoip_country_code"],
  ["mp_lib", "$lib"],
  ["$app_version_string", "$app_version"],
  ["$app_build_number", "$app_build"],
  ["$manufacturer", "$device_manufacturer"],
  ["$model", "$device_model"],
  ["$carrier", "$network_carrier"],
  ["$wifi", "$network_wifi"],
  ["current_page_title", "title"],
];

/** Properties of an event that are its person's too. */
export const PERSONS = [
  "$browser",
  "$browser_version",
  "$os",
  "$os_version",
  "$device",
  "$device_type",
  "$current_url",
  "$referrer",
  "$referring_domain",
  "$geoip_city_name",
  "$geoip_subdivision_1_name",
  "$geoip_country_code",
  "$geoip_country_name",
];

/** Names of a profile's properties. */
export const PROFILE: readonly (readonly [from: string, to: string])[] = [
  ["$email", "email"],
  ["$name", "name"],
  ["$first_name", "first_name"],
  ["$last_name", "last_name"],
  ["$phone", "phone"],
  ["$avatar", "avatar"],
  ["$created", "created"],
  ["$city", "$geoip_city_name"],
  ["$region", "$geoip_subdivision_1_name"],
  ["$country_code", "$geoip_country_code"],
  ["$timezone", "$geoip_time_zone"],
];
