/** Properties of events that also become properties of the person (docs/persons.md#automatic-properties). */
const automaticPersonKeys: ReadonlySet<string> = new Set(
  `$app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname $os
  $os_name $os_version $referring_domain $referrer $screen_height $screen_width $viewport_height $viewport_width
  $raw_user_agent utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid
  wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`.split(/\s+/),
);

/** The key of the person's property: the same key, except that `$os_name` becomes `$os`. */
function personKey(key: string): string {
  return key === "$os_name" ? "$os" : key;
}

/** The property that keeps its first value: `$initial_browser` of `$browser`, `$initial_os` of `$os_name`. */
export function initialKey(key: string): string {
  return `$initial_${personKey(key).replace(/^\$/, "")}`;
}

/** Properties that change with nearly every event (docs/persons.md#what-is-not-written-again). */
const NOISE = new Set(
  `$current_url $pathname $referrer $referring_domain $screen_height $screen_width $viewport_height $viewport_width
  $browser $browser_version $device_type $raw_user_agent $os $os_version`.split(/\s+/),
);

/** An automatic property of persons, in order of its number. */
export interface AutomaticProperty {
  number: number;
  /** Key of the person's property. */
  key: string;
  /** Key of the property that keeps the first value. */
  initialKey: string;
  isNoise: boolean;
}

/** All automatic properties. Their numbers differ between processes. */
export const AUTOMATIC: readonly AutomaticProperty[] = [
  ...new Set([...automaticPersonKeys].map((key) => personKey(key))),
].map((key, number) => ({ number, key, initialKey: initialKey(key), isNoise: NOISE.has(key) }));

const byKey = new Map(AUTOMATIC.map((property) => [property.key, property]));
const byInitialKey = new Map(AUTOMATIC.map((property) => [property.initialKey, property]));

/** Automatic properties by the key of the event's property. */
export const EVENT_KEYS: ReadonlyMap<string, AutomaticProperty> = new Map(
  [...automaticPersonKeys].map((key) => [key, byKey.get(personKey(key))!]),
);

/** The automatic property with this key of a person's property. */
export function automaticOfKey(key: string): AutomaticProperty | undefined {
  return byKey.get(key);
}

/** The automatic property with this key of a first value. */
export function automaticOfInitial(key: string): AutomaticProperty | undefined {
  return byInitialKey.get(key);
}
