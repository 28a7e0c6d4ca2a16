// Words, numbers and strings, each checked to be as JSON has them (RFC 8259).

import { BACKSLASH, QUOTE, isHex } from "./text";

/** What is noted beside the number of a member whose value is a string (outline.ts). */
const FORM_PLAIN: i32 = 256, FORM_UUID: i32 = 512;

/** Of the string that was read last: whether it has escapes, and what is not ASCII. */
export let escaped: bool, wide: bool;
/** Since `begin`: whether a string has `\u`, and whether blanks were put into the text. */
export let hasEscapes: bool, isChanged: bool;

export function begin(): void {
  hasEscapes = isChanged = false;
}

// Each of these takes a position and gives the one behind what it read; 0 when it is none of it.

/** Tabs and line breaks become blanks. */
@inline export function blanks(at: i32): i32 {
  let p = at;
  let c = load<u8>(p);
  if (c > 0x20) return p;
  while (c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09) {
    if (c != 0x20) {
      isChanged = true;
      store<u8>(p, 0x20);
    }
    c = load<u8>(++p);
  }
  return p;
}

@inline export function word(p: i32, expected: u32): i32 {
  return load<u32>(p) == expected ? p + 4 : 0;
}

@inline function isDigit(p: i32): bool { return load<u8>(p) - 0x30 < 10; }

/** At least one. */
@inline function digits(at: i32): i32 {
  let p = at;
  while (isDigit(p)) p++;
  return p > at ? p : 0;
}

export function number(at: i32): i32 {
  let p = at;
  if (load<u8>(p) == 0x2d) p++;
  if (load<u8>(p) == 0x30) p++;
  else if ((p = digits(p)) == 0) return 0;
  let point = 0;
  if (load<u8>(p) == 0x2e) {
    point = p;
    if ((p = digits(p + 1)) == 0) return 0;
  }
  if ((load<u8>(p) | 0x20) == 0x65) {
    p++;
    const sign = load<u8>(p);
    if (sign == 0x2b || sign == 0x2d) p++;
    return digits(p);
  }
  return point != 0 && load<u8>(p - 1) == 0x30 ? withoutZeros(point, p) : p;
}

/** Makes blanks of the zeros that end a fraction, and of a point that nothing follows then. */
function withoutZeros(point: i32, end: i32): i32 {
  isChanged = true;
  let p = end;
  while (load<u8>(p - 1) == 0x30) store<u8>(--p, 0x20);
  if (p - 1 == point) store<u8>(--p, 0x20);
  return p;
}

/** From behind the opening quote; sets `escaped`, and `wide` for what is not ASCII. */
export function text(at: i32): i32 {
  escaped = false;
  wide = false;
  let q = at;
  while (true) {
    // As signed numbers, control characters and all beyond ASCII are below a blank.
    const v = v128.load(q);
    const stop = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))), i8x16.lt_s(v, i8x16.splat(0x20))));
    if (stop == 0) { q += 16; continue; }
    q += ctz(stop);
    let c = load<u8>(q);
    if (c == QUOTE) return q + 1;
    if (c >= 0x80) {
      wide = true;
      do c = load<u8>(++q); while (c >= 0x80);
      continue;
    }
    if (c != BACKSLASH) return 0;
    escaped = true;
    const e = load<u8>(q + 1);
    if (e == 0x75) {
      hasEscapes = true;
      if (!isHex(load<u8>(q + 2)) || !isHex(load<u8>(q + 3)) || !isHex(load<u8>(q + 4)) || !isHex(load<u8>(q + 5))) return 0;
      q += 6;
    } else if (e == QUOTE || e == BACKSLASH || e == 0x2f || e == 0x62 || e == 0x66 || e == 0x6e || e == 0x72 || e == 0x74) q += 2;
    else return 0;
  }
}

/** What is known of the text of a string that `text` has just read, from quote to quote. */
@inline export function formOf(at: i32, end: i32): i32 {
  if (escaped || wide) return 0;
  return end - at == 38 && isUuid(at + 1) ? FORM_PLAIN | FORM_UUID : FORM_PLAIN;
}

/** Whether the 36 bytes are a uuid in its canonical form. */
function isUuid(p: i32): bool {
  return areHexBut(v128.load(p), 0x2100) && areHexBut(v128.load(p, 16), 0x0084) && areHexBut(v128.load(p, 20), 0x0008);
}

/** Digits and small letters from a to f, and hyphens in the places given and there alone. */
@inline function areHexBut(v: v128, hyphens: i32): bool {
  const digit = i8x16.le_u(i8x16.sub(v, i8x16.splat(0x30)), i8x16.splat(9));
  const letter = i8x16.le_u(i8x16.sub(v, i8x16.splat(0x61)), i8x16.splat(5));
  return i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x2d))) == hyphens && (i8x16.bitmask(v128.or(digit, letter)) | hyphens) == 0xffff;
}
