import type { Json, JsonObject } from "../types/mod.ts";

/** Properties of events that also become properties of the person (reference: capture, 2.4). */
export const automaticPersonKeys: ReadonlySet<string> = new Set(
  `$app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname $os
  $os_name $os_version $referring_domain $referrer $screen_height $screen_width $viewport_height $viewport_width
  $raw_user_agent utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid
  wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`.split(/\s+/),
);

/** Events whose properties never describe the person. */
const WITHOUT_AUTOMATIC = new Set(["$snapshot", "$performance_event"]);

/** Which property of the person an automatic one becomes: itself, but that some SDKs have another name for `$os`. */
export function personKey(key: string): string {
  return key === "$os_name" ? "$os" : key;
}

/** The property that keeps its first value: `$initial_browser` of `$browser`, `$initial_os` of `$os_name`. */
export function initialKey(key: string): string {
  return `$initial_${personKey(key).replace(/^\$/, "")}`;
}

/**
 * What a full event sets on its person: what the client gave in `$set` and `$set_once`, and what the other properties say
 * where the client says nothing. The stored text of an event holds the first alone: the second would double it.
 */
export function personSets(
  event: string,
  timestampMs: number,
  properties: JsonObject,
): { set: JsonObject; setOnce: JsonObject } {
  const set = { ...objectOf(properties.$set) };
  const setOnce = { ...objectOf(properties.$set_once) };
  const put = (into: JsonObject, key: string, value: Json) => {
    if (!Object.hasOwn(into, key)) into[key] = value;
  };
  if (!WITHOUT_AUTOMATIC.has(event)) {
    for (const [key, value] of Object.entries(properties)) {
      if (!automaticPersonKeys.has(key) || (key === "$os_name" && Object.hasOwn(properties, "$os"))) continue;
      put(set, personKey(key), value);
      put(setOnce, initialKey(key), value);
    }
  }
  if (event === "survey shown") put(set, "$survey_last_seen_date", new Date(timestampMs).toISOString());
  return { set, setOnce };
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
