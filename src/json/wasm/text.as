// AssemblyScript; `scripts/build-wasm` makes json.wasm of module.as and what it imports.
// Finds its way in bytes of valid JSON, and names in tables of known ones.

export const QUOTE: u8 = 0x22, BACKSLASH: u8 = 0x5c, COMMA: u8 = 0x2c, COLON: u8 = 0x3a;
export const OPEN_OBJECT: u8 = 0x7b, CLOSE_OBJECT: u8 = 0x7d, OPEN_ARRAY: u8 = 0x5b, CLOSE_ARRAY: u8 = 0x5d;

/** A table has 1024 slots, each the address of [length, number, bytes] or 0 (keyTable.ts). -1: it is not there. */
@inline export function find(table: i32, at: i32, length: i32): i32 {
  let slot = slotOf(at, length);
  while (true) {
    const known = load<i32>(table + (slot << 2));
    if (known == 0) return -1;
    if (load<i32>(known) == length && same(known + 8, at, length)) return load<i32>(known + 4);
    slot = (slot + 1) & 1023;
  }
}

/** No name that is looked for is longer. Escaped, one takes six times that. */
const NAME_MAX_BYTES: i32 = 64;

/** The same for a name that has escapes; it is put to `plain` without them: 512 bytes, or as many as it takes now. */
export function findEscaped(table: i32, at: i32, length: i32, plain: i32): i32 {
  if (length > NAME_MAX_BYTES * 6) return -1;
  const end = unescape(at, at + length, plain);
  store<u8>(end, QUOTE);
  return find(table, plain, end - plain);
}

/** Where the search for a name that stands between quotes begins, of 1024. */
@inline export function slotOf(at: i32, length: i32): u32 {
  if (length == 0) return 0;
  let hash: u32 = <u32>length * 0x9e3779b1;
  hash ^= <u32>load<u8>(at + 1) * 0x85ebca6b;
  hash ^= <u32>load<u8>(at + length - 1) * 0xc2b2ae35;
  hash ^= <u32>load<u8>(at + (length >> 1)) * 0x27d4eb2f;
  return hash >> 22;
}

export function same(a: i32, b: i32, length: i32): bool {
  let i = 0;
  for (; i + 8 <= length; i += 8) if (load<u64>(a + i) != load<u64>(b + i)) return false;
  for (; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false;
  return true;
}

/** A text is looked at sixteen bytes at a time: 32 zeros go behind it. */
@inline export function pad(end: i32): void {
  v128.store(end, i64x2.splat(0));
  v128.store(end, i64x2.splat(0), 16);
}

@inline export function skipBlanks(at: i32): i32 {
  let p = at;
  while (load<u8>(p) <= 0x20) p++;
  return p;
}

/** The next quote or backslash. */
@inline export function stopInText(at: i32): i32 {
  let p = at;
  while (true) {
    const v = v128.load(p);
    const stop = i8x16.bitmask(v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c))));
    if (stop != 0) return p + ctz(stop);
    p += 16;
  }
}

/** From behind the opening quote to the closing one. */
export function endOfText(at: i32): i32 {
  let p = stopInText(at);
  while (load<u8>(p) == BACKSLASH) p = stopInText(p + 2);
  return p;
}

/** Behind a value that begins here. */
export function endOfValue(at: i32): i32 {
  const c = load<u8>(at);
  if (c == QUOTE) return endOfText(at + 1) + 1;
  if (c == OPEN_OBJECT || c == OPEN_ARRAY) return endOfNested(at);
  let p = at;
  while (true) {
    const d = load<u8>(p);
    if (d <= 0x20 || d == COMMA || d == CLOSE_OBJECT || d == CLOSE_ARRAY) return p;
    p++;
  }
}

function endOfNested(at: i32): i32 {
  let depth = 0;
  let p = at;
  while (true) {
    const c = load<u8>(p);
    if (c == QUOTE) p = endOfText(p + 1);
    else if (c == OPEN_OBJECT || c == OPEN_ARRAY) depth++;
    else if ((c == CLOSE_OBJECT || c == CLOSE_ARRAY) && --depth == 0) return p + 1;
    p++;
  }
}

@inline export function isHex(c: u8): bool { return c - 0x30 < 10 || (c | 0x20) - 0x61 < 6; }

/** The number that four hex digits write. */
export function hex4(at: i32): u32 {
  let n: u32 = 0;
  for (let i = 0; i < 4; i++) {
    const c: u32 = load<u8>(at + i);
    n = (n << 4) | (c <= 0x39 ? c - 0x30 : (c | 0x20) - 0x57);
  }
  return n;
}

/**
 * Writes the characters of a string, whose inside is from `at` to `end`, as UTF-8; half a surrogate pair as if it were a character.
 * Gives the end of what it wrote, which is not longer.
 */
export function unescape(at: i32, end: i32, out: i32): i32 {
  let o = out;
  let p = at;
  while (true) {
    const stop = min(stopInText(p), end);
    memory.copy(o, p, stop - p);
    o += stop - p;
    if (stop == end) return o;
    const e = load<u8>(stop + 1);
    p = stop + 2;
    if (e != 0x75) {
      store<u8>(o++, meantBy(e));
      continue;
    }
    let code = hex4(p);
    p += 4;
    if (code >> 10 == 0x36 && load<u8>(p) == BACKSLASH && load<u8>(p + 1) == 0x75 && hex4(p + 2) >> 10 == 0x37) {
      code = 0x10000 + ((code & 0x3ff) << 10) + (hex4(p + 2) & 0x3ff);
      p += 6;
    }
    o = putCode(code, o);
  }
}

/** The character of an escape of two. */
function meantBy(e: u8): u8 {
  if (e == 0x62) return 0x08;
  if (e == 0x66) return 0x0c;
  if (e == 0x6e) return 0x0a;
  if (e == 0x72) return 0x0d;
  return e == 0x74 ? 0x09 : e;
}

function putCode(code: u32, out: i32): i32 {
  if (code < 0x80) {
    store<u8>(out, <u8>code);
    return out + 1;
  }
  if (code < 0x800) {
    store<u8>(out, <u8>(0xc0 | (code >> 6)));
    store<u8>(out + 1, <u8>(0x80 | (code & 0x3f)));
    return out + 2;
  }
  if (code < 0x10000) {
    store<u8>(out, <u8>(0xe0 | (code >> 12)));
    store<u8>(out + 1, <u8>(0x80 | ((code >> 6) & 0x3f)));
    store<u8>(out + 2, <u8>(0x80 | (code & 0x3f)));
    return out + 3;
  }
  store<u8>(out, <u8>(0xf0 | (code >> 18)));
  store<u8>(out + 1, <u8>(0x80 | ((code >> 12) & 0x3f)));
  store<u8>(out + 2, <u8>(0x80 | ((code >> 6) & 0x3f)));
  store<u8>(out + 3, <u8>(0x80 | (code & 0x3f)));
  return out + 4;
}
