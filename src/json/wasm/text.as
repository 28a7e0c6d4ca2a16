// AssemblyScript; `scripts/build-wasm` makes json.wasm of module.as and what it imports.
// Finds its way in bytes of valid JSON, and names in tables of known ones.

export const QUOTE: u8 = 0x22, BACKSLASH: u8 = 0x5c, COMMA: u8 = 0x2c, COLON: u8 = 0x3a;
export const OPEN_OBJECT: u8 = 0x7b, CLOSE_OBJECT: u8 = 0x7d, OPEN_ARRAY: u8 = 0x5b, CLOSE_ARRAY: u8 = 0x5d;

/** A table has 1024 slots, each the address of [length, number, bytes] or 0 (keyTable.ts). -1: it is not there. */
export function find(table: i32, at: i32, length: i32): i32 {
  let slot = slotOf(at, length);
  while (true) {
    const known = load<i32>(table + (slot << 2));
    if (known == 0) return -1;
    if (load<i32>(known) == length && same(known + 8, at, length)) return load<i32>(known + 4);
    slot = (slot + 1) & 1023;
  }
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
