import type { PropertyType } from "../types/mod.ts";

/** Of these keys values look like something else at times (a version, a flag that is on); they are texts. */
const ALWAYS_TEXT = /^(utm_|\$initial_utm_|\$feature\/|\$survey_response|\$feature_flag_response$)/;
/** Names of times. */
const NAMES_TIME = /time|date|_at|-at|createdat|updatedat/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;
const EMAIL_DATE =
  /^([A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}(:\d{2})? ([+-]\d{4}|GMT|UTC?|[ECMP][SD]T)$/;
const LIKE_A_DATE = /^(\d{4}[/-][0-2]\d[/-][0-3]\d|[0-2]\d[/-][0-3]\d[/-]\d{4})([ T][0-2]\d:[0-6]\d:[0-6]\d.*)?$/;
const HALF_A_YEAR_S = 15_768_000;

/**
 * The type of a property by one value of it, given as JSON text: PostHog's rules. Null for null, lists and objects, which tell
 * nothing.
 */
export function detectType(name: string, json: string, nowMs: number): PropertyType | null {
  const first = json[0]!;
  if (first === "n" || first === "[" || first === "{") return null;
  const key = name.toLowerCase();
  if (ALWAYS_TEXT.test(key)) return "String";
  if (first === "t" || first === "f") return "Boolean";
  if (first !== '"') return NAMES_TIME.test(key) && isUnixTime(json, nowMs) ? "DateTime" : "Numeric";
  const text = String(JSON.parse(json)).trim();
  if (/^(true|false|TRUE|FALSE)$/.test(text)) return "Boolean";
  return isDate(text) ? "DateTime" : "String";
}

const isDate = (text: string): boolean => ISO_DATE.test(text) || EMAIL_DATE.test(text) || LIKE_A_DATE.test(text);

/** In seconds or any smaller unit, and not older than half a year. */
function isUnixTime(json: string, nowMs: number): boolean {
  return /^\d+$/.test(json) && Number(json) >= nowMs / 1000 - HALF_A_YEAR_S;
}
