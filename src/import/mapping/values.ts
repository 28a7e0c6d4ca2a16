import type { Json, JsonObject } from "../../types/mod.ts";
import { asNumber, digitsOf, isObject } from "../exact.ts";
import { RowRejected } from "../types.ts";

/** A value that is an object and no list; null otherwise. */
export function objectOf(value: Json | undefined): JsonObject | null {
  return isObject(value) ? value : null;
}

/**
 * A list: as it is, or as files of Parquet have one (`{list: [{element: …}]}`, how BigQuery writes them). Empty where it is neither.
 */
export function listOf(value: Json | undefined): Json[] {
  if (Array.isArray(value)) return value;
  const wrapped = objectOf(value)?.list;
  if (!Array.isArray(wrapped)) return [];
  return wrapped.map((item) => {
    const object = objectOf(item);
    return object === null ? item : (object.element ?? object.item ?? item);
  });
}

/** A value as text: texts that are not empty, and numbers; null otherwise. */
export function textOf(value: Json | bigint | undefined): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  return digitsOf(value);
}

/** An id: text that is not blank, or a number; null otherwise. */
export function idOf(value: Json | bigint | undefined): string | null {
  const text = textOf(value);
  return text === null || text.trim() === "" ? null : text;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A value as a finite number: of numbers, and of texts that are a number (BigQuery writes 64-bit integers so); null otherwise. */
export function numberOf(value: Json | bigint | undefined): number | null {
  const text = typeof value === "string" ? value.trim() : digitsOf(value);
  if (text === null || !NUMBER.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** Text that is a whole number becomes one, where no digit is lost by it; anything else stays. */
export function integerOrSame(value: Json): Json {
  if (typeof value !== "string" || !/^-?\d{1,15}$/.test(value)) return value;
  const number = Number(value);
  return String(number) === value ? number : value;
}

/** `true`, `"true"`, `1`, `"1"` and their opposites; null otherwise. */
export function booleanOf(value: Json | undefined): boolean | null {
  if (typeof value === "boolean") return value;
  const text = textOf(value)?.toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : null;
}

/** JSON with sorted keys: equal for equal values, whatever order their keys had. Throws RowRejected for one that is nested too deeply. */
export function canonicalJson(value: Json): string {
  try {
    return JSON.stringify(value, (_key, inner: Json | bigint) => {
      if (typeof inner === "bigint") return String(inner);
      const object = objectOf(inner);
      if (object === null) return asNumber(inner);
      return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    });
  } catch (error) {
    if (error instanceof RangeError) throw new RowRejected("too_large", "It is nested too deeply");
    throw error;
  }
}

/** A copy without members that are null, at any depth. Throws RowRejected for one that is nested too deeply. */
export function withoutNulls(value: Json): Json {
  try {
    return strip(value);
  } catch (error) {
    if (error instanceof RangeError) throw new RowRejected("too_large", "It is nested too deeply");
    throw error;
  }
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => strip(item));
  const object = objectOf(value);
  if (object === null) return value;
  const kept = Object.entries(object).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(kept.map(([name, member]) => [name, strip(member)]));
}
