type Values = Readonly<Record<string, unknown>>;

/** An event with values of properties. */
export interface Told {
  uuid: string;
  event: string;
  at: string;
  values: Values;
}

/** Events that say where values came from. */
export interface Sources {
  /** Those with `$set`, the newest first. */
  set: readonly Told[];
  /** Those with `$set_once`, the oldest first. */
  once: readonly Told[];
  /** The newest of all, with their own properties. */
  newest: readonly Told[];
}

/** Where a value came from. */
export interface Origin {
  how: "set" | "once" | "event";
  from: Told;
}

/**
 * Where the value of a person's property came from, as far as some of its events tell: the last `$set` of it, the first
 * `$set_once`, or the last event that had it. Null where none of them has this very value: it is older than they are, was
 * imported, or was made by Weir (docs/persons.md).
 */
export function originOf(key: string, value: unknown, { set, once, newest }: Sources): Origin | null {
  const wanted = JSON.stringify(value);
  const has = ({ values }: Told) => Object.hasOwn(values, key);
  const isSame = ({ values }: Told) => JSON.stringify(values[key]) === wanted;
  const lastSet = set.find(has);
  if (lastSet !== undefined && isSame(lastSet)) return { how: "set", from: lastSet };
  const seen = newest.find((told) => has(told) && isSame(told));
  if (seen !== undefined) return { how: "event", from: seen };
  const firstOnce = once.find(has);
  return firstOnce !== undefined && isSame(firstOnce) ? { how: "once", from: firstOnce } : null;
}
