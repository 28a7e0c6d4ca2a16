/** A surrogate pair, any other escape; in this order, so that what is left of `\ud8…\udf…` alone has no partner. */
const ESCAPES = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^u]/g;
const UNSTORABLE = /^\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})$/;

/** NUL and lone surrogates in raw JSON text, where they can only stand as escapes, become U+FFFD. */
export function cleanJson(json: string): string {
  if (!json.includes("\\u")) return json;
  return json.replace(ESCAPES, (written) => (UNSTORABLE.test(written) ? "\\ufffd" : written));
}

/** At most `max` UTF-16 units, never half a surrogate pair. */
export function cutUnits(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max);
}

/** Whether `text` takes more than `max` bytes as UTF-8; counted only when its length leaves that open. */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length > max) return true;
  return text.length * 3 > max && Buffer.byteLength(text, "utf8") > max;
}
