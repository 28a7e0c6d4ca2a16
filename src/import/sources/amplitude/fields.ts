/** Properties of events that Amplitude's clients name in their own way. */
export const EVENT_PROPERTIES: readonly (readonly [from: string, to: string])[] = [
  ["[Amplitude] Page URL", "$current_url"],
  ["[Amplitude] Page Domain", "$host"],
  ["[Amplitude] Page Path", "$pathname"],
  ["[Amplitude] Page Title", "title"],
  ["[Amplitude] Viewport Height", "$viewport_height"],
  ["[Amplitude] Viewport Width", "$viewport_width"],
  ["[Amplitude] Screen Name", "$screen_name"],
  ["referrer", "$referrer"],
  ["referring_domain", "$referring_domain"],
];

/** Members of a row that are properties under another name. */
export const MEMBERS: readonly (readonly [from: string, to: string])[] = [
  ["city", "$geoip_city_name"],
  ["region", "$geoip_subdivision_1_name"],
  ["country", "$geoip_country_name"],
  ["location_lat", "$geoip_latitude"],
  ["location_lng", "$geoip_longitude"],
  ["ip_address", "$ip"],
  ["version_name", "$app_version"],
  ["language", "$locale"],
  ["library", "$lib"],
  ["device_carrier", "$network_carrier"],
  ["user_id", "$amplitude_user_id"],
  ["device_id", "$amplitude_device_id"],
  ["amplitude_id", "$amplitude_id"],
  ["start_version", "$amplitude_start_version"],
  ["dma", "$amplitude_dma"],
  ["adid", "$amplitude_adid"],
  ["idfa", "$amplitude_idfa"],
];

/** Properties of an event that are its person's too. */
export const PERSONS = [
  "$os",
  "$os_version",
  "$browser",
  "$browser_version",
  "$device_type",
  "$current_url",
  "$pathname",
  "$referrer",
  "$referring_domain",
  "$geoip_city_name",
  "$geoip_subdivision_1_name",
  "$geoip_country_name",
];

/** What Amplitude writes for a user property that has no value. */
export const EMPTY = "EMPTY";
