import { BACKSLASH, QUOTE } from "../../src/json/mod.ts";

const BLANK = 0x20;
const BREAKS = [0x09, 0x0a, 0x0d];
const POINT = 0x2e;
const ZERO = 0x30;

// What JSON does not need becomes blanks, one for one, so that offsets stay true. Only for valid JSON.

/** Without tabs and line breaks, which stand between tokens only. */
export function withoutBreaks(bytes: Buffer): Buffer {
  if (!BREAKS.some((code) => bytes.includes(code))) return bytes;
  return Buffer.from(bytes).map((code) => (BREAKS.includes(code) ? BLANK : code)) as Buffer;
}

/**
 * Without the zeros that end a fraction: `1.0` and `1.10` are stored as JavaScript writes them, so that a query shows one value for
 * what is one number, and typed columns can hold it.
 */
export function withoutZeros(bytes: Buffer): Buffer {
  if (!bytes.includes(POINT)) return bytes;
  let changed: Buffer | null = null;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === QUOTE) i = stringEnd(bytes, i);
    if (bytes[i] !== POINT) continue;
    const end = digitsEnd(bytes, i + 1);
    if (bytes[end - 1] === ZERO && !isExponent(bytes[end])) {
      changed ??= Buffer.from(bytes);
      let from = end;
      while (bytes[from - 1] === ZERO) from--;
      changed.fill(BLANK, from - 1 === i ? i : from, end);
    }
    i = end - 1;
  }
  return changed ?? bytes;
}

function digitsEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at]! >= ZERO && bytes[at]! <= 0x39) at++;
  return at;
}

const isExponent = (code: number | undefined): boolean => code === 0x65 || code === 0x45;

function stringEnd(bytes: Buffer, open: number): number {
  let at = open + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
