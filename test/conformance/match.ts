/** What a JSON document can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** One expectation that was not met. */
export interface Difference {
  /** Where: of the answer, or of what the case asks to be stored. */
  path: string;
  expected: unknown;
  got: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How two documents are compared where neither is an object nor an array, and how long arrays have to be. */
export interface Rules {
  leaf(expected: Json, got: Json | undefined): boolean;
  /** Whether the expected array may be shorter than what was got. */
  isPrefixEnough(expected: Json[]): boolean;
  /** Whether objects of `$…` keys are matchers. */
  hasMatchers: boolean;
}

/** Objects are subsets, arrays prefixes, `$regex` and the like are matchers. */
export const MANAGEMENT_RULES: Rules = {
  leaf: (expected, got) => expected === got,
  isPrefixEnough: () => true,
  hasMatchers: true,
};

/** Objects are subsets, everything else is equal. */
export const STORED_RULES: Rules = {
  leaf: (expected, got) => expected === got,
  isPrefixEnough: () => false,
  hasMatchers: false,
};

/**
 * Lists of results are aligned by index and may go on; lists of plain values are compared whole. null is null or
 * absent, a boolean equals its number, numbers are compared with a tolerance.
 */
export const QUERY_RULES: Rules = {
  leaf: (expected, got) => sameValue(expected, got ?? null),
  isPrefixEnough: (expected) => expected.length > 0 && typeof expected[0] === "object" && expected[0] !== null,
  hasMatchers: false,
};

const TOLERANCE = 1e-9;

function sameValue(expected: Json, got: Json): boolean {
  const [a, b] = [expected, got].map((value) => (typeof value === "boolean" ? Number(value) : value));
  if (typeof a !== "number" || typeof b !== "number") return a === b;
  return a === b || Math.abs(a - b) <= TOLERANCE * Math.max(1, Math.abs(a), Math.abs(b));
}

/** Where `got` does not fit what is expected. */
export function differences(expected: Json, got: Json | undefined, path: string, rules: Rules): Difference[] {
  if (isObject(expected)) {
    const keys = Object.keys(expected);
    if (rules.hasMatchers && keys.length > 0 && keys.every((key) => Object.hasOwn(MATCHERS, key))) {
      return keys.every((key) => MATCHERS[key]!(expected[key]!, got)) ? [] : [{ path, expected, got }];
    }
    if (!isObject(got)) return [{ path, expected, got }];
    return keys.flatMap((key) => differences(expected[key]!, got[key], `${path}.${key}`, rules));
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return [{ path, expected, got }];
    if (!rules.isPrefixEnough(expected) && expected.length !== got.length) return [{ path, expected, got }];
    return expected.flatMap((item, i) => differences(item, got[i], `${path}[${i}]`, rules));
  }
  return rules.leaf(expected, got) ? [] : [{ path, expected, got }];
}

const fits = (expected: Json, got: Json | undefined) => differences(expected, got, "", MANAGEMENT_RULES).length === 0;

function isAbove(got: Json | undefined, bound: Json, orEqual: boolean): boolean {
  const areBoth = (type: string) => typeof got === type && typeof bound === type;
  if (!areBoth("number") && !areBoth("string")) return false;
  return got! > bound! || (orEqual && got === bound);
}

const MATCHERS: Record<string, (wanted: Json, got: Json | undefined) => boolean> = {
  $regex: (wanted, got) => typeof got === "string" && new RegExp(String(wanted)).test(got),
  $gt: (wanted, got) => isAbove(got, wanted, false),
  $gte: (wanted, got) => isAbove(got, wanted, true),
  $same: (wanted, got) => (typeof got === "string" || typeof got === "number") && String(got) === String(wanted),
  $ne: (wanted, got) => !Bun.deepEquals(wanted, got),
  $eq: (wanted, got) => Bun.deepEquals(wanted, got),
  $len: (wanted, got) => (Array.isArray(got) || typeof got === "string") && got.length === wanted,
  $type: (wanted, got) => typeName(got) === wanted,
  $set: (wanted, got) => {
    const sorted = (list: Json | undefined) => (Array.isArray(list) ? list.map((v) => JSON.stringify(v)).sort() : null);
    return Array.isArray(got) && Bun.deepEquals(sorted(wanted), sorted(got));
  },
  $all: (wanted, got) => Array.isArray(got) && got.every((item) => fits(wanted, item)),
  $contains: (wanted, got) =>
    typeof got === "string"
      ? got.includes(String(wanted))
      : Array.isArray(got) && got.some((item) => fits(wanted, item)),
  $sorted: (wanted, got) => Array.isArray(got) && got.length > 0 && isSorted(got, String(wanted)),
  $keys_exact: (wanted, got) => {
    const item = Array.isArray(got) ? got[0] : got;
    return isObject(item) && Bun.deepEquals(Object.keys(item).sort(), [...(wanted as string[])].sort());
  },
};

function typeName(value: Json | undefined): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

/** By a field; `-field` is descending. */
function isSorted(items: Json[], order: string): boolean {
  const field = order.replace(/^-/, "");
  const values = items.map((item) => (isObject(item) ? item[field] : undefined));
  return values.every(
    (value, i) => i === 0 || (order.startsWith("-") ? value! <= values[i - 1]! : value! >= values[i - 1]!),
  );
}
