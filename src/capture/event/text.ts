import type { Span } from "../../types/mod.ts";

/** At most `max` UTF-16 units, never half a surrogate pair. */
export function cutUnits(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? max - 1 : max);
}

/** Bytes of UTF-8 that a UTF-16 unit takes at most. */
export const UNIT_MAX_BYTES = 3;

/** Whether the texts together take more than `max` bytes as UTF-8; counted only when their lengths leave that open. */
export function areLongerThan(texts: readonly (string | Span)[], max: number): boolean {
  let least = 0;
  let most = 0;
  for (const text of texts) {
    const isSpan = typeof text !== "string";
    const length = isSpan ? text.end - text.start : text.length;
    least += length;
    most += isSpan ? length : length * UNIT_MAX_BYTES;
  }
  if (least > max || most <= max) return least > max;
  return texts.reduce((sum, text) => sum + bytesOf(text), 0) > max;
}

function bytesOf(text: string | Span): number {
  return typeof text === "string" ? Buffer.byteLength(text) : text.end - text.start;
}
