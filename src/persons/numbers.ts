import { automaticPersonKeys, initialKey, personKey } from "./automatic.ts";

/** They change with nearly every event and say little of a person (docs/persons.md#what-is-not-written-again). */
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

/** All of them; their numbers are good within a process only. */
export const AUTOMATIC: readonly AutomaticProperty[] = [
  ...new Set([...automaticPersonKeys].map((key) => personKey(key))),
].map((key, number) => ({ number, key, initialKey: initialKey(key), isNoise: NOISE.has(key) }));

const byKey = new Map(AUTOMATIC.map((property) => [property.key, property]));
const byInitialKey = new Map(AUTOMATIC.map((property) => [property.initialKey, property]));

/** The property of persons that an event's property makes, by the event's key. */
export const EVENT_KEYS: ReadonlyMap<string, AutomaticProperty> = new Map(
  [...automaticPersonKeys].map((key) => [key, byKey.get(personKey(key))!]),
);

/** Of a key of a person's property. */
export function automaticOfKey(key: string): AutomaticProperty | undefined {
  return byKey.get(key);
}

/** Of a key that keeps a first value. */
export function automaticOfInitial(key: string): AutomaticProperty | undefined {
  return byInitialKey.get(key);
}
