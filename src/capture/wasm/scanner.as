// AssemblyScript; `scripts/build-scanner` makes scanner.wasm of it.
// Checks that bytes are JSON and notes where known members lie, as `scan.ts` does. Says no whenever it is not sure.

const QUOTE: u8 = 0x22, BACKSLASH: u8 = 0x5c, COMMA: u8 = 0x2c, COLON: u8 = 0x3a;
const OPEN_OBJECT: u8 = 0x7b, CLOSE_OBJECT: u8 = 0x7d, OPEN_ARRAY: u8 = 0x5b, CLOSE_ARRAY: u8 = 0x5d;

/** What an object or array is to us. */
const PLAIN: i32 = 0, EVENT: i32 = 1, PROPERTIES: i32 = 2, LIST: i32 = 3, ROOT: i32 = 4;

let base: i32, end: i32, p: i32;
let escaped: bool;
let maxDepth: i32, propertiesKey: i32, batchKey: i32;
let eventTable: i32, propertyTable: i32;
let root: i32, rootEnd: i32, items: i32, itemsBase: i32, itemsEnd: i32, starts: i32, startsEnd: i32;
let inList: bool, isBatch: bool, hasBreaks: bool, hasEscapes: bool;

export function configure(events: i32, properties: i32, keyOfProperties: i32, keyOfBatch: i32): void {
  eventTable = events;
  propertyTable = properties;
  propertiesKey = keyOfProperties;
  batchKey = keyOfBatch;
}

/**
 * Whether the text is JSON and the notes are good: -1 no, else bits: 1 for a list of events, 2 for tabs and line breaks
 * between tokens, 4 for `\u` in strings.
 * The text must be followed by 32 zeros.
 */
export function scan(at: i32, length: i32, depthMax: i32, rootTape: i32, rootCap: i32, itemTape: i32, itemCap: i32, startTape: i32, startCap: i32): i32 {
  base = at; end = at + length; p = at;
  maxDepth = depthMax;
  root = rootTape; rootEnd = rootTape + rootCap;
  items = itemTape; itemsBase = itemTape; itemsEnd = itemTape + itemCap;
  starts = startTape; startsEnd = startTape + startCap;
  inList = false; isBatch = false; hasBreaks = false; hasEscapes = false;
  blanks();
  const c = load<u8>(p);
  let good = false;
  if (c == OPEN_OBJECT) good = object(0, ROOT);
  else if (c == OPEN_ARRAY) { isBatch = true; good = array(0, LIST); }
  if (!good) return -1;
  blanks();
  if (p != end || starts + 4 > startsEnd) return -1;
  store<i32>(starts, (items - itemsBase) >> 2);
  starts += 4;
  return (isBatch ? 1 : 0) | (hasBreaks ? 2 : 0) | (hasEscapes ? 4 : 0);
}

export function rootBytes(tape: i32): i32 { return root - tape; }
export function itemBytes(tape: i32): i32 { return items - tape; }
export function startBytes(tape: i32): i32 { return starts - tape; }

@inline function blanks(): void {
  let c = load<u8>(p);
  if (c > 0x20) return;
  while (c == 0x20 || c == 0x0a || c == 0x0d || c == 0x09) {
    if (c != 0x20) hasBreaks = true;
    c = load<u8>(++p);
  }
}

@inline function offset(): i32 { return p - base; }

function value(depth: i32, kind: i32): bool {
  const c = load<u8>(p);
  if (c == QUOTE) { p++; return text(); }
  if (c == OPEN_OBJECT) return object(depth, kind);
  if (c == OPEN_ARRAY) return array(depth, kind);
  if (c == 0x74) return word(0x65757274, 4);
  if (c == 0x6e) return word(0x6c6c756e, 4);
  if (c == 0x66) { p++; return word(0x65736c61, 4); }
  return number();
}

@inline function word(expected: u32, length: i32): bool {
  if (load<u32>(p) != expected) return false;
  p += length;
  return true;
}

@inline function digits(): bool {
  const from = p;
  while (load<u8>(p) - 0x30 < 10) p++;
  return p > from;
}

function number(): bool {
  if (load<u8>(p) == 0x2d) p++;
  if (load<u8>(p) == 0x30) p++;
  else if (!digits()) return false;
  if (load<u8>(p) == 0x2e) { p++; if (!digits()) return false; }
  if ((load<u8>(p) | 0x20) == 0x65) {
    p++;
    const sign = load<u8>(p);
    if (sign == 0x2b || sign == 0x2d) p++;
    if (!digits()) return false;
  }
  return true;
}

@inline function isHex(c: u8): bool { return c - 0x30 < 10 || (c | 0x20) - 0x61 < 6; }

/** After the opening quote; goes behind the closing one. */
function text(): bool {
  escaped = false;
  let q = p;
  while (true) {
    // As signed numbers, control characters and all beyond ASCII are below a blank.
    const v = v128.load(q);
    const stop = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))), i8x16.lt_s(v, i8x16.splat(0x20))));
    if (stop == 0) { q += 16; continue; }
    q += ctz(stop);
    let c = load<u8>(q);
    if (c == QUOTE) { p = q + 1; return true; }
    if (c >= 0x80) {
      do c = load<u8>(++q); while (c >= 0x80);
      continue;
    }
    if (c != BACKSLASH) return false;
    escaped = true;
    const e = load<u8>(q + 1);
    if (e == 0x75) {
      hasEscapes = true;
      if (!isHex(load<u8>(q + 2)) || !isHex(load<u8>(q + 3)) || !isHex(load<u8>(q + 4)) || !isHex(load<u8>(q + 5))) return false;
      q += 6;
    } else if (e == QUOTE || e == BACKSLASH || e == 0x2f || e == 0x62 || e == 0x66 || e == 0x6e || e == 0x72 || e == 0x74) q += 2;
    else return false;
  }
}

function object(depth: i32, kind: i32): bool {
  if (depth >= maxDepth) return false;
  p++;
  blanks();
  if (load<u8>(p) == CLOSE_OBJECT) { p++; return true; }
  let hasProperties = false;
  while (true) {
    if (load<u8>(p) != QUOTE) return false;
    const keyStart = p;
    const keyOffset = offset();
    p++;
    if (!text()) return false;
    const keyLength = p - keyStart - 2;
    let key = -1;
    if (kind != PLAIN) {
      if (escaped) return false;
      key = find(kind == PROPERTIES ? propertyTable : eventTable, keyStart + 1, keyLength);
    }
    blanks();
    if (load<u8>(p) != COLON) return false;
    p++;
    blanks();
    if (key < 0) { if (!value(depth + 1, PLAIN)) return false; }
    else {
      const entry = inList ? items : root;
      if (entry + 16 > (inList ? itemsEnd : rootEnd)) return false;
      if (inList) items += 16; else root += 16;
      let inner = PLAIN;
      if (kind != PROPERTIES) {
        if (key == propertiesKey) {
          if (hasProperties) return false;
          hasProperties = true;
          if (load<u8>(p) == OPEN_OBJECT) inner = PROPERTIES;
        } else if (key == batchKey && kind == ROOT) {
          if (isBatch || load<u8>(p) != OPEN_ARRAY) return false;
          isBatch = true;
          inner = LIST;
        }
      }
      const start = offset();
      if (!value(depth + 1, inner)) return false;
      store<i32>(entry, key);
      store<i32>(entry + 4, keyOffset);
      store<i32>(entry + 8, start);
      store<i32>(entry + 12, offset());
    }
    blanks();
    const c = load<u8>(p);
    p++;
    if (c == CLOSE_OBJECT) return true;
    if (c != COMMA) return false;
    blanks();
  }
}

function array(depth: i32, kind: i32): bool {
  if (depth >= maxDepth) return false;
  const isList = kind == LIST;
  if (isList) inList = true;
  p++;
  blanks();
  if (load<u8>(p) == CLOSE_ARRAY) { p++; inList = inList && !isList; return true; }
  while (true) {
    let inner = PLAIN;
    if (isList) {
      if (starts + 4 > startsEnd) return false;
      const isObject = load<u8>(p) == OPEN_OBJECT;
      if (isObject) inner = EVENT;
      store<i32>(starts, isObject ? (items - itemsBase) >> 2 : -1);
      starts += 4;
    }
    if (!value(depth + 1, inner)) return false;
    blanks();
    const c = load<u8>(p);
    p++;
    if (c == CLOSE_ARRAY) { inList = inList && !isList; return true; }
    if (c != COMMA) return false;
    blanks();
  }
}

/** A table has 1024 slots, each the address of [length, number, bytes] or 0. */
function find(table: i32, at: i32, length: i32): i32 {
  if (length == 0) return -1;
  let hash: u32 = <u32>length * 0x9e3779b1;
  hash ^= <u32>load<u8>(at + 1) * 0x85ebca6b;
  hash ^= <u32>load<u8>(at + length - 1) * 0xc2b2ae35;
  hash ^= <u32>load<u8>(at + (length >> 1)) * 0x27d4eb2f;
  let slot = hash >> 22;
  while (true) {
    const known = load<i32>(table + (slot << 2));
    if (known == 0) return -1;
    if (load<i32>(known) == length && same(known + 8, at, length)) return load<i32>(known + 4);
    slot = (slot + 1) & 1023;
  }
}

function same(a: i32, b: i32, length: i32): bool {
  let i = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  for (; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}
