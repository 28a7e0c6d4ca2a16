// Checks that bytes are JSON and notes where known members lie, as `scan.ts` does. Says no whenever it is not sure.

import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, find, same, slotOf } from "./text";

/** What an object or array is to us. */
const OTHER: i32 = 0, EVENT: i32 = 1, PROPERTIES: i32 = 2, LIST: i32 = 3, ROOT: i32 = 4;

/** What is noted beside the number of a member whose value is a string (outline.ts). */
const FORM_PLAIN: i32 = 256, FORM_UUID: i32 = 512;

let base: i32;
let escaped: bool, wide: bool;
let maxDepth: i32, propertiesKey: i32, batchKey: i32;
let eventTable: i32, propertyTable: i32;
/** Names of the properties that are read now: 1024 slots of [number of the object, start, length]. */
let names: i32;
let objectNumber: i32, nameCount: i32;
let root: i32, rootEnd: i32, items: i32, itemsBase: i32, itemsEnd: i32, starts: i32, startsEnd: i32;
let inList: bool, isBatch: bool, hasBreaks: bool, hasEscapes: bool, hasZeros: bool;

export function configureOutline(events: i32, properties: i32, keyOfProperties: i32, keyOfBatch: i32, namesAt: i32): void {
  eventTable = events;
  propertyTable = properties;
  propertiesKey = keyOfProperties;
  batchKey = keyOfBatch;
  names = namesAt;
}

/**
 * Whether the text is JSON and the notes are good: -1 no, else bits: 1 for a list of events, 2 for tabs and line breaks
 * between tokens, 4 for `\u` in strings, 8 where zeros at the end of fractions became blanks.
 * The text must be followed by 32 zeros.
 */
export function outline(at: i32, length: i32, depthMax: i32, rootTape: i32, rootCap: i32, itemTape: i32, itemCap: i32, startTape: i32, startCap: i32): i32 {
  base = at;
  maxDepth = depthMax;
  root = rootTape; rootEnd = rootTape + rootCap;
  items = itemTape; itemsBase = itemTape; itemsEnd = itemTape + itemCap;
  starts = startTape; startsEnd = startTape + startCap;
  inList = false; isBatch = false; hasBreaks = false; hasEscapes = false; hasZeros = false;
  let p = blanks(at);
  const c = load<u8>(p);
  if (c == OPEN_OBJECT) p = object(p, 0, ROOT);
  else if (c == OPEN_ARRAY) { isBatch = true; p = array(p, 0, LIST); }
  else return -1;
  if (p == 0 || blanks(p) != at + length || starts + 4 > startsEnd) return -1;
  store<i32>(starts, (items - itemsBase) >> 2);
  starts += 4;
  return (isBatch ? 1 : 0) | (hasBreaks ? 2 : 0) | (hasEscapes ? 4 : 0) | (hasZeros ? 8 : 0);
}

/** Whether the text is JSON of any kind, written in whatever way. It must be followed by 32 zeros. */
export function isJson(at: i32, length: i32, depthMax: i32): bool {
  maxDepth = depthMax;
  const p = value(blanks(at), 0, OTHER);
  return p != 0 && blanks(p) == at + length;
}

export function rootBytes(tape: i32): i32 { return root - tape; }
export function itemBytes(tape: i32): i32 { return items - tape; }
export function startBytes(tape: i32): i32 { return starts - tape; }

// Each of these takes a position and gives the one behind what it read; 0 when it is none of it.

@inline function blanks(at: i32): i32 {
  let p = at;
  let c = load<u8>(p);
  if (c > 0x20) return p;
  while (c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09) {
    if (c != 0x20) hasBreaks = true;
    c = load<u8>(++p);
  }
  return p;
}

function value(p: i32, depth: i32, kind: i32): i32 {
  const c = load<u8>(p);
  if (c == QUOTE) return text(p + 1);
  if (c == OPEN_OBJECT) return object(p, depth, kind);
  if (c == OPEN_ARRAY) return array(p, depth, kind);
  if (c == 0x74) return word(p, 0x65757274);
  if (c == 0x6e) return word(p, 0x6c6c756e);
  if (c == 0x66) return word(p + 1, 0x65736c61);
  return number(p);
}

@inline function word(p: i32, expected: u32): i32 {
  return load<u32>(p) == expected ? p + 4 : 0;
}

@inline function isDigit(p: i32): bool { return load<u8>(p) - 0x30 < 10; }

/** At least one. */
@inline function digits(at: i32): i32 {
  let p = at;
  while (isDigit(p)) p++;
  return p > at ? p : 0;
}

function number(at: i32): i32 {
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
  hasZeros = true;
  let p = end;
  while (load<u8>(p - 1) == 0x30) store<u8>(--p, 0x20);
  if (p - 1 == point) store<u8>(--p, 0x20);
  return p;
}

@inline function isHex(c: u8): bool { return c - 0x30 < 10 || (c | 0x20) - 0x61 < 6; }

/** From behind the opening quote; sets `escaped`, and `wide` for what is not ASCII. */
function text(at: i32): i32 {
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
@inline function formOf(at: i32, end: i32): i32 {
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

/** Whether the properties have this name already, or so many that a search would be long. */
function repeats(at: i32, length: i32): bool {
  if (++nameCount > 512) return true;
  let slot = slotOf(at, length);
  for (let tries = 0; tries < 32; tries++) {
    const entry = names + slot * 12;
    if (load<i32>(entry) != objectNumber) {
      store<i32>(entry, objectNumber);
      store<i32>(entry + 4, at);
      store<i32>(entry + 8, length);
      return false;
    }
    if (load<i32>(entry + 8) == length && same(load<i32>(entry + 4), at, length)) return true;
    slot = (slot + 1) & 1023;
  }
  return true;
}

function object(at: i32, depth: i32, kind: i32): i32 {
  if (depth >= maxDepth) return 0;
  let p = blanks(at + 1);
  if (load<u8>(p) == CLOSE_OBJECT) return p + 1;
  let hasProperties = false;
  if (kind == PROPERTIES) {
    objectNumber++;
    nameCount = 0;
  }
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const keyStart = p;
    p = text(p + 1);
    if (p == 0) return 0;
    let key = -1;
    if (kind != OTHER) {
      if (escaped) return 0;
      const length = p - keyStart - 2;
      if (kind == PROPERTIES && repeats(keyStart + 1, length)) return 0;
      key = find(kind == PROPERTIES ? propertyTable : eventTable, keyStart + 1, length);
    }
    p = blanks(p);
    if (load<u8>(p) != COLON) return 0;
    p = blanks(p + 1);
    if (key < 0) p = value(p, depth + 1, OTHER);
    else {
      const entry = inList ? items : root;
      if (entry + 16 > (inList ? itemsEnd : rootEnd)) return 0;
      if (inList) items += 16; else root += 16;
      let inner = OTHER;
      if (kind != PROPERTIES) {
        if (key == propertiesKey) {
          if (hasProperties) return 0;
          hasProperties = true;
          if (load<u8>(p) == OPEN_OBJECT) inner = PROPERTIES;
        } else if (key == batchKey && kind == ROOT) {
          if (isBatch || load<u8>(p) != OPEN_ARRAY) return 0;
          isBatch = true;
          inner = LIST;
        }
      }
      const valueStart = p;
      store<i32>(entry + 4, keyStart - base);
      store<i32>(entry + 8, p - base);
      p = value(p, depth + 1, inner);
      store<i32>(entry, load<u8>(valueStart) == QUOTE ? key | formOf(valueStart, p) : key);
      store<i32>(entry + 12, p - base);
    }
    if (p == 0) return 0;
    p = blanks(p);
    const c = load<u8>(p);
    if (c == CLOSE_OBJECT) return p + 1;
    if (c != COMMA) return 0;
    p = blanks(p + 1);
  }
}

function array(at: i32, depth: i32, kind: i32): i32 {
  if (depth >= maxDepth) return 0;
  const isList = kind == LIST;
  if (isList) inList = true;
  let p = blanks(at + 1);
  if (load<u8>(p) == CLOSE_ARRAY) { inList = inList && !isList; return p + 1; }
  while (true) {
    let inner = OTHER;
    if (isList) {
      if (starts + 4 > startsEnd) return 0;
      const isObject = load<u8>(p) == OPEN_OBJECT;
      if (isObject) inner = EVENT;
      store<i32>(starts, isObject ? (items - itemsBase) >> 2 : -1);
      starts += 4;
    }
    p = value(p, depth + 1, inner);
    if (p == 0) return 0;
    p = blanks(p);
    const c = load<u8>(p);
    if (c == CLOSE_ARRAY) { inList = inList && !isList; return p + 1; }
    if (c != COMMA) return 0;
    p = blanks(p + 1);
  }
}
