import type { Span } from "../types/mod.ts";

export { cleanJson } from "../properties/mod.ts";

/** At most `max` UTF-16 units, never half a surrogate pair. */
export function cutUnits(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max);
}

/** Whether `text` takes more than `max` bytes as UTF-8; counted only when its length leaves that open. */
export function isLongerThan(text: string | Span, max: number): boolean {
  if (typeof text !== "string") return text.end - text.start > max;
  if (text.length > max) return true;
  return text.length * 3 > max && Buffer.byteLength(text, "utf8") > max;
}
