/** Names for what PostHog's SDKs send, and words that people look for it by. */
interface Known {
  label: string;
  words?: string;
}

const EVENTS: Record<string, Known> = {
  $pageview: { label: "Page view", words: "visit url view" },
  $pageleave: { label: "Page leave", words: "exit close" },
  $autocapture: { label: "Autocapture", words: "click tap button press submit change element" },
  $screen: { label: "Screen view", words: "mobile page visit" },
  $identify: { label: "Identify", words: "login sign in user" },
  $create_alias: { label: "Alias", words: "merge link" },
  $merge_dangerously: { label: "Merge", words: "alias persons" },
  $groupidentify: { label: "Group identify", words: "company organization" },
  $set: { label: "Set person properties", words: "user update" },
  $rageclick: { label: "Rage click", words: "angry frustrated" },
  $dead_click: { label: "Dead click", words: "broken nothing happens" },
  $heatmap: { label: "Heatmap", words: "mouse scroll" },
  $exception: { label: "Exception", words: "error crash bug" },
  $web_vitals: { label: "Web vitals", words: "performance speed lcp cls inp fcp" },
  $opt_in: { label: "Opt in", words: "consent" },
  $feature_flag_called: { label: "Feature flag called", words: "experiment variant" },
  $feature_view: { label: "Feature view", words: "flag" },
  $feature_interaction: { label: "Feature interaction", words: "flag click" },
  "survey shown": { label: "Survey shown" },
  "survey sent": { label: "Survey sent", words: "answer response" },
  "survey dismissed": { label: "Survey dismissed" },
  "Application Opened": { label: "Application opened", words: "app start launch" },
  "Application Backgrounded": { label: "Application backgrounded", words: "app close" },
  "Application Installed": { label: "Application installed", words: "app" },
  "Application Updated": { label: "Application updated", words: "app version" },
};

const PROPERTIES: Record<string, Known> = {
  $current_url: { label: "Current URL", words: "page address link" },
  $pathname: { label: "Path name", words: "url page address" },
  $host: { label: "Host", words: "domain url site" },
  $referrer: { label: "Referrer URL", words: "source came from" },
  $referring_domain: { label: "Referring domain", words: "source referrer came from" },
  $prev_pageview_pathname: { label: "Previous path name", words: "url page" },
  $browser: { label: "Browser", words: "chrome firefox safari" },
  $browser_version: { label: "Browser version" },
  $browser_language: { label: "Browser language", words: "locale" },
  $os: { label: "Operating system", words: "os windows mac linux android ios platform" },
  $os_version: { label: "Operating system version", words: "os" },
  $device: { label: "Device" },
  $device_type: { label: "Device type", words: "mobile desktop tablet phone" },
  $device_id: { label: "Device ID" },
  $device_manufacturer: { label: "Device manufacturer", words: "brand" },
  $device_model: { label: "Device model" },
  $device_name: { label: "Device name" },
  $raw_user_agent: { label: "User agent", words: "browser bot" },
  $screen_width: { label: "Screen width", words: "resolution size" },
  $screen_height: { label: "Screen height", words: "resolution size" },
  $viewport_width: { label: "Viewport width", words: "window size" },
  $viewport_height: { label: "Viewport height", words: "window size" },
  $screen_name: { label: "Screen name", words: "page mobile" },
  $title: { label: "Page title" },
  $lib: { label: "Library", words: "sdk" },
  $lib_version: { label: "Library version", words: "sdk" },
  $app_name: { label: "App name" },
  $app_version: { label: "App version", words: "release" },
  $app_build: { label: "App build", words: "release" },
  $app_namespace: { label: "App namespace" },
  $event_type: { label: "Event type", words: "click submit change autocapture" },
  $el_text: { label: "Element text", words: "button label click" },
  $elements_chain: { label: "Elements", words: "autocapture html click" },
  $session_id: { label: "Session ID" },
  $window_id: { label: "Window ID", words: "tab" },
  $pageview_id: { label: "Page view ID" },
  $user_id: { label: "User ID" },
  $anon_distinct_id: { label: "Anonymous ID" },
  $ip: { label: "IP address" },
  $timezone: { label: "Time zone" },
  $timezone_offset: { label: "Time zone offset" },
  $language: { label: "Language", words: "locale" },
  $locale: { label: "Locale", words: "language" },
  $geoip_country_name: { label: "Country", words: "geo location" },
  $geoip_country_code: { label: "Country code", words: "geo location" },
  $geoip_continent_name: { label: "Continent", words: "geo location" },
  $geoip_continent_code: { label: "Continent code", words: "geo location" },
  $geoip_city_name: { label: "City", words: "geo location town" },
  $geoip_subdivision_1_name: { label: "Region", words: "geo state province location" },
  $geoip_subdivision_1_code: { label: "Region code", words: "geo state province location" },
  $geoip_postal_code: { label: "Postal code", words: "geo zip location" },
  $geoip_latitude: { label: "Latitude", words: "geo location" },
  $geoip_longitude: { label: "Longitude", words: "geo location" },
  $geoip_time_zone: { label: "Time zone of the place", words: "geo" },
  utm_source: { label: "UTM source", words: "campaign marketing" },
  utm_medium: { label: "UTM medium", words: "campaign marketing" },
  utm_campaign: { label: "UTM campaign", words: "marketing" },
  utm_content: { label: "UTM content", words: "campaign marketing ad" },
  utm_term: { label: "UTM term", words: "campaign marketing keyword" },
  gclid: { label: "Google click ID", words: "ads campaign" },
  fbclid: { label: "Facebook click ID", words: "ads campaign meta" },
  msclkid: { label: "Microsoft click ID", words: "ads campaign bing" },
  $feature_flag: { label: "Feature flag", words: "experiment" },
  $feature_flag_response: { label: "Feature flag response", words: "experiment variant" },
  $active_feature_flags: { label: "Active feature flags", words: "experiment" },
  $survey_id: { label: "Survey ID" },
  $survey_response: { label: "Survey response", words: "answer" },
  $exception_types: { label: "Exception types", words: "error" },
  $exception_values: { label: "Exception messages", words: "error" },
  $exception_sources: { label: "Exception sources", words: "error file" },
  $exception_functions: { label: "Exception functions", words: "error" },
  $web_vitals_LCP_value: { label: "Largest contentful paint", words: "web vitals lcp speed" },
  $web_vitals_CLS_value: { label: "Cumulative layout shift", words: "web vitals cls" },
  $web_vitals_INP_value: { label: "Interaction to next paint", words: "web vitals inp speed" },
  $web_vitals_FCP_value: { label: "First contentful paint", words: "web vitals fcp speed" },
  $is_identified: { label: "Is identified", words: "logged in" },
  $process_person_profile: { label: "Has person profile" },
  $creator_event_uuid: { label: "First event's UUID" },
  $time: { label: "Time", words: "timestamp date" },
  email: { label: "Email", words: "mail address" },
  $email: { label: "Email", words: "mail address" },
  name: { label: "Name" },
  $name: { label: "Name" },
};

/** Of elements that were clicked. */
const ELEMENTS: Record<string, Known> = {
  text: { label: "Text", words: "button label click" },
  tag_name: { label: "Tag name", words: "html a button" },
  href: { label: "Link target", words: "href url" },
  selector: { label: "CSS selector", words: "class id" },
};

/** Fields of sessions; the query engine has no others. */
const SESSIONS: Record<string, Known & { isNumber?: true; isTime?: true; isYesNo?: true }> = {
  $session_duration: { label: "Session duration", words: "length time seconds", isNumber: true },
  $is_bounce: { label: "Is bounce", words: "left", isYesNo: true },
  $pageview_count: { label: "Page views", words: "count number", isNumber: true },
  $autocapture_count: { label: "Autocaptures", words: "count clicks number", isNumber: true },
  $screen_count: { label: "Screen views", words: "count number", isNumber: true },
  $num_uniq_urls: { label: "Different URLs", words: "count number", isNumber: true },
  $start_timestamp: { label: "Session start", words: "time date", isTime: true },
  $end_timestamp: { label: "Session end", words: "time date", isTime: true },
  $entry_current_url: { label: "Entry URL", words: "landing page first" },
  $entry_pathname: { label: "Entry path", words: "landing page first url" },
  $entry_hostname: { label: "Entry host", words: "landing domain first" },
  $exit_current_url: { label: "Exit URL", words: "last page end" },
  $exit_pathname: { label: "Exit path", words: "last page end url" },
  $end_hostname: { label: "Exit host", words: "last domain end" },
  $entry_referrer: { label: "Entry referrer", words: "source came from" },
  $entry_referring_domain: { label: "Entry referring domain", words: "source came from" },
  $entry_utm_source: { label: "Entry UTM source", words: "campaign marketing" },
  $entry_utm_medium: { label: "Entry UTM medium", words: "campaign marketing" },
  $entry_utm_campaign: { label: "Entry UTM campaign", words: "marketing" },
  $entry_utm_content: { label: "Entry UTM content", words: "campaign marketing" },
  $entry_utm_term: { label: "Entry UTM term", words: "campaign marketing" },
  $entry_gclid: { label: "Entry Google click ID", words: "ads campaign" },
};

/** Columns of events. */
const COLUMNS: Record<string, Known> = {
  event: { label: "Event name" },
  distinct_id: { label: "Distinct ID", words: "user" },
  person_id: { label: "Person ID" },
  uuid: { label: "Event UUID", words: "id" },
  timestamp: { label: "Timestamp", words: "time date" },
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
  return name === null || name === undefined ? "All events" : (own(EVENTS, name)?.label ?? name);
}

/** The name of a property as people call it. `type`: its owner, as a filter has it. */
export function propertyLabel(key: string, type = "event"): string {
  const known = own(tableOf(type) ?? {}, key);
  if (known !== undefined) return known.label;
  if (key.startsWith(INITIAL)) {
    const rest = key.slice(INITIAL.length);
    const of = own(PROPERTIES, `$${rest}`) ?? own(PROPERTIES, rest);
    return `Initial ${of === undefined ? rest : lowerFirst(of.label)}`;
  }
  if (key.startsWith(FLAG)) return `Feature: ${key.slice(FLAG.length)}`;
  return key;
}

/** More than one of a group type, as it is sent: "company" is "companies". */
export function plural(name: string): string {
  if (/[^aeiou]y$/i.test(name)) return `${name.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}

/** Further words that an event is looked for by. */
export const eventWords = (name: string): string => own(EVENTS, name)?.words ?? "";

/** Further words that a property is looked for by. */
export const propertyWords = (key: string, type = "event"): string => own(tableOf(type) ?? {}, key)?.words ?? "";

function tableOf(type: string): Record<string, Known> | undefined {
  switch (type) {
    case "session":
      return SESSIONS;
    case "element":
      return ELEMENTS;
    case "event_metadata":
      return COLUMNS;
    case "event":
    case "person":
      return PROPERTIES;
  }
}

/** Names come from strangers: `constructor` is one, too. */
const own = <T>(table: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

/** "UTM source" stays as it is. */
const lowerFirst = (text: string) => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1));
