// Names for what PostHog's SDKs send. Further words that people look for it by are in searchWords.ts, which few pages need.

const EVENTS: Record<string, string> = {
  $pageview: "Page view",
  $pageleave: "Page leave",
  $autocapture: "Autocapture",
  $screen: "Screen view",
  $identify: "Identify",
  $create_alias: "Alias",
  $merge_dangerously: "Merge",
  $groupidentify: "Group identify",
  $set: "Set person properties",
  $rageclick: "Rage click",
  $dead_click: "Dead click",
  $heatmap: "Heatmap",
  $exception: "Exception",
  $web_vitals: "Web vitals",
  $opt_in: "Opt in",
  $feature_flag_called: "Feature flag called",
  $feature_view: "Feature view",
  $feature_interaction: "Feature interaction",
  "survey shown": "Survey shown",
  "survey sent": "Survey sent",
  "survey dismissed": "Survey dismissed",
  "Application Opened": "Application opened",
  "Application Backgrounded": "Application backgrounded",
  "Application Installed": "Application installed",
  "Application Updated": "Application updated",
};

const PROPERTIES: Record<string, string> = {
  $current_url: "Current URL",
  $pathname: "Path name",
  $host: "Host",
  $referrer: "Referrer URL",
  $referring_domain: "Referring domain",
  $prev_pageview_pathname: "Previous path name",
  $browser: "Browser",
  $browser_version: "Browser version",
  $browser_language: "Browser language",
  $os: "Operating system",
  $os_version: "Operating system version",
  $device: "Device",
  $device_type: "Device type",
  $device_id: "Device ID",
  $device_manufacturer: "Device manufacturer",
  $device_model: "Device model",
  $device_name: "Device name",
  $raw_user_agent: "User agent",
  $screen_width: "Screen width",
  $screen_height: "Screen height",
  $viewport_width: "Viewport width",
  $viewport_height: "Viewport height",
  $screen_name: "Screen name",
  $title: "Page title",
  $lib: "Library",
  $lib_version: "Library version",
  $app_name: "App name",
  $app_version: "App version",
  $app_build: "App build",
  $app_namespace: "App namespace",
  $event_type: "Event type",
  $el_text: "Element text",
  $elements_chain: "Elements",
  $session_id: "Session ID",
  $window_id: "Window ID",
  $pageview_id: "Page view ID",
  $user_id: "User ID",
  $anon_distinct_id: "Anonymous ID",
  $ip: "IP address",
  $timezone: "Time zone",
  $timezone_offset: "Time zone offset",
  $language: "Language",
  $locale: "Locale",
  $geoip_country_name: "Country",
  $geoip_country_code: "Country code",
  $geoip_continent_name: "Continent",
  $geoip_continent_code: "Continent code",
  $geoip_city_name: "City",
  $geoip_subdivision_1_name: "Region",
  $geoip_subdivision_1_code: "Region code",
  $geoip_postal_code: "Postal code",
  $geoip_latitude: "Latitude",
  $geoip_longitude: "Longitude",
  $geoip_time_zone: "Time zone of the place",
  utm_source: "UTM source",
  utm_medium: "UTM medium",
  utm_campaign: "UTM campaign",
  utm_content: "UTM content",
  utm_term: "UTM term",
  gclid: "Google click ID",
  fbclid: "Facebook click ID",
  msclkid: "Microsoft click ID",
  $feature_flag: "Feature flag",
  $feature_flag_response: "Feature flag response",
  $active_feature_flags: "Active feature flags",
  $survey_id: "Survey ID",
  $survey_response: "Survey response",
  $exception_types: "Exception types",
  $exception_values: "Exception messages",
  $exception_sources: "Exception sources",
  $exception_functions: "Exception functions",
  $web_vitals_LCP_value: "Largest contentful paint",
  $web_vitals_CLS_value: "Cumulative layout shift",
  $web_vitals_INP_value: "Interaction to next paint",
  $web_vitals_FCP_value: "First contentful paint",
  $is_identified: "Is identified",
  $process_person_profile: "Has person profile",
  $creator_event_uuid: "First event's UUID",
  $time: "Time",
  email: "Email",
  $email: "Email",
  name: "Name",
  $name: "Name",
};

/** Of elements that were clicked. */
const ELEMENTS: Record<string, string> = {
  text: "Text",
  tag_name: "Tag name",
  href: "Link target",
  selector: "CSS selector",
};

interface SessionField {
  label: string;
  isNumber?: true;
  isTime?: true;
  isYesNo?: true;
}

/** Fields of sessions; the query engine has no others. */
const SESSIONS: Record<string, SessionField> = {
  $session_duration: { label: "Session duration", isNumber: true },
  $is_bounce: { label: "Is bounce", isYesNo: true },
  $pageview_count: { label: "Page views", isNumber: true },
  $autocapture_count: { label: "Autocaptures", isNumber: true },
  $screen_count: { label: "Screen views", isNumber: true },
  $num_uniq_urls: { label: "Different URLs", isNumber: true },
  $start_timestamp: { label: "Session start", isTime: true },
  $end_timestamp: { label: "Session end", isTime: true },
  $entry_current_url: { label: "Entry URL" },
  $entry_pathname: { label: "Entry path" },
  $entry_hostname: { label: "Entry host" },
  $exit_current_url: { label: "Exit URL" },
  $exit_pathname: { label: "Exit path" },
  $end_hostname: { label: "Exit host" },
  $entry_referrer: { label: "Entry referrer" },
  $entry_referring_domain: { label: "Entry referring domain" },
  $entry_utm_source: { label: "Entry UTM source" },
  $entry_utm_medium: { label: "Entry UTM medium" },
  $entry_utm_campaign: { label: "Entry UTM campaign" },
  $entry_utm_content: { label: "Entry UTM content" },
  $entry_utm_term: { label: "Entry UTM term" },
  $entry_gclid: { label: "Entry Google click ID" },
};

/** Columns of events. */
const COLUMNS: Record<string, string> = {
  event: "Event name",
  distinct_id: "Distinct ID",
  person_id: "Person ID",
  uuid: "Event UUID",
  timestamp: "Timestamp",
};

/** What is known of sessions, of clicked elements and of events themselves. */
export const SESSION_KEYS = Object.keys(SESSIONS);
export const ELEMENT_KEYS = Object.keys(ELEMENTS);
export const COLUMN_KEYS = Object.keys(COLUMNS);

/** What a field of sessions holds, in the words of property definitions. */
export function sessionFieldType(key: string): "Numeric" | "DateTime" | "Boolean" | "String" {
  const { isNumber, isTime, isYesNo } = own(SESSIONS, key) ?? {};
  return isNumber ? "Numeric" : isTime ? "DateTime" : isYesNo ? "Boolean" : "String";
}

const INITIAL = "$initial_";
const FLAG = "$feature/";

/** The name of an event as people call it; null: any event. */
export function eventLabel(name: string | null | undefined): string {
  return name === null || name === undefined ? "All events" : (own(EVENTS, name) ?? seen(name));
}

const UNSEEN = /^[\s\p{Z}\p{C}]+$/u;

/** A name of which nothing can be seen, such as a space, stands in quotes. */
const seen = (name: string): string => (UNSEEN.test(name) ? `“${name}”` : name);

/** The name of a property as people call it. `type`: its owner, as a filter has it. */
export function propertyLabel(key: string, type = "event"): string {
  const known = knownLabel(key, type);
  if (known !== undefined) return known;
  if (key.startsWith(INITIAL)) {
    const rest = key.slice(INITIAL.length);
    const of = own(PROPERTIES, `$${rest}`) ?? own(PROPERTIES, rest);
    return `Initial ${of === undefined ? rest : lowerFirst(of)}`;
  }
  if (key.startsWith(FLAG)) return `Feature: ${key.slice(FLAG.length)}`;
  return seen(key);
}

/** More than one of a group type, as it is sent: "company" is "companies". */
export function plural(name: string): string {
  if (/[^aeiou]y$/i.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}

function knownLabel(key: string, type: string): string | undefined {
  switch (type) {
    case "session":
      return own(SESSIONS, key)?.label;
    case "element":
      return own(ELEMENTS, key);
    case "event_metadata":
      return own(COLUMNS, key);
    case "event":
    case "person":
      return own(PROPERTIES, key);
  }
}

/** Names come from strangers: `constructor` is one, too. */
export const own = <T>(table: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** "UTM source" stays as it is. */
const lowerFirst = (text: string) => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1));
