import { BACKSLASH, CLOSE_OBJECT, COMMA, OPEN_OBJECT, QUOTE, endOfText, endOfValue, find, hex4, pad, skipBlanks, stopInText, unescape } from "./text";

/** Whether JavaScript writes this number as it stands here. */
@external("env", "isCanonical")
declare function isCanonical(at: i32, end: i32): bool;

const FIELD: u8 = 0x1f, NULL: u8 = 0x1e;
const VARCHAR: u8 = 0, BOOLEAN: u8 = 1, BIGINT: u8 = 2;

let table: i32, types: i32, values: i32, exceptions: i32, columns: i32;
let row: i32;

/** `typesAt`: a byte a column; `valuesAt`: 16 bytes a column, `exceptionsAt`: one, both zero at first. */
export function configureSplit(tableAt: i32, typesAt: i32, valuesAt: i32, exceptionsAt: i32, count: i32): void {
  table = tableAt;
  types = typesAt;
  values = valuesAt;
  exceptions = exceptionsAt;
  columns = count;
  row = 0;
}

/**
 * Writes the fields of one row: each column's value and a separator, then the JSON of all else. Gives the end of what it
 * wrote. The text must be valid JSON; `scratch` has room for it once more, `out` for three times
 * of it and two bytes a column.
 */
export function split(at: i32, end: i32, scratch: i32, out: i32): i32 {
  pad(end);
  row++;
  const start = skipBlanks(at);
  if (load<u8>(start) != OPEN_OBJECT) return whole(at, end, out);
  let rest = scratch;
  store<u8>(rest++, OPEN_OBJECT);
  let p = skipBlanks(start + 1);
  while (load<u8>(p) == QUOTE) {
    const stop = stopInText(p + 1);
    if (load<u8>(stop) == BACKSLASH) {
      // It may be any key.
      memory.fill(exceptions, 1, columns);
      return whole(at, end, out);
    }
    const valueStart = skipBlanks(skipBlanks(stop + 1) + 1);
    const valueEnd = endOfValue(valueStart);
    const column = find(table, p + 1, stop - p - 1);
    if (column >= 0) {
      const slot = values + (column << 4);
      if (load<i32>(slot) == row) {
        exceptAll(start);
        return whole(at, end, out);
      }
      store<i32>(slot, row);
      store<i32>(slot + 4, valueStart);
      store<i32>(slot + 8, fits(load<u8>(types + column), valueStart, valueEnd) ? valueEnd : 0);
    }
    if (column < 0 || load<i32>(values + (column << 4) + 8) == 0) {
      if (column >= 0) store<u8>(exceptions + column, 1);
      if (rest > scratch + 1) store<u8>(rest++, COMMA);
      memory.copy(rest, p, valueEnd - p);
      rest += valueEnd - p;
    }
    p = skipBlanks(valueEnd);
    if (load<u8>(p) == CLOSE_OBJECT) break;
    p = skipBlanks(p + 1);
  }
  store<u8>(rest++, CLOSE_OBJECT);
  let o = out;
  for (let i = 0; i < columns; i++) {
    const slot = values + (i << 4);
    if (load<i32>(slot) == row && load<i32>(slot + 8) != 0) o = put(load<u8>(types + i), load<i32>(slot + 4), load<i32>(slot + 8), o);
    else store<u8>(o++, NULL);
    store<u8>(o++, FIELD);
  }
  memory.copy(o, scratch, rest - scratch);
  return o + (rest - scratch);
}

/** No typed value: the text as it is. */
function whole(at: i32, end: i32, out: i32): i32 {
  let o = out;
  for (let i = 0; i < columns; i++) {
    store<u8>(o++, NULL);
    store<u8>(o++, FIELD);
  }
  memory.copy(o, at, end - at);
  return o + (end - at);
}

/** A key stands twice: all of the row's keys stay in the text. */
function exceptAll(start: i32): void {
  let p = skipBlanks(start + 1);
  while (load<u8>(p) == QUOTE) {
    const close = endOfText(p + 1);
    const column = find(table, p + 1, close - p - 1);
    if (column >= 0) store<u8>(exceptions + column, 1);
    if (load<u8>(stopInText(p + 1)) == BACKSLASH) memory.fill(exceptions, 1, columns);
    p = skipBlanks(endOfValue(skipBlanks(skipBlanks(close + 1) + 1)));
    if (load<u8>(p) == CLOSE_OBJECT) return;
    p = skipBlanks(p + 1);
  }
}

/** Whether the column's value gives this very text again. Where that is not certain, the value stays JSON. */
function fits(type: u8, at: i32, end: i32): bool {
  const c = load<u8>(at);
  if (type == VARCHAR) return c == QUOTE && isPlain(at + 1, end - 1);
  if (type == BOOLEAN) return c == 0x74 || c == 0x66;
  if (c != 0x2d && c - 0x30 >= 10) return false;
  return type == BIGINT ? isBigint(at, end) : isDouble(at, end);
}

/** Whether a string holds no control character and no half of a surrogate pair, which a line could not hold. */
function isPlain(at: i32, end: i32): bool {
  let p = at;
  while (true) {
    p = stopInText(p);
    if (p >= end) return true;
    const e = load<u8>(p + 1);
    if (e == QUOTE || e == BACKSLASH || e == 0x2f) p += 2;
    else if (e == 0x75) {
      const unit = hex4(p + 2);
      p += 6;
      if (unit < 0x20 || unit >> 10 == 0x37) return false;
      if (unit >> 10 == 0x36) {
        if (load<u8>(p) != BACKSLASH || load<u8>(p + 1) != 0x75 || hex4(p + 2) >> 10 != 0x37) return false;
        p += 6;
      }
    } else return false;
  }
}

function isBigint(at: i32, end: i32): bool {
  const isNegative = load<u8>(at) == 0x2d;
  let p = isNegative ? at + 1 : at;
  const length = end - p;
  if (length > 19 || (isNegative && load<u8>(p) == 0x30)) return false;
  let n: u64 = 0;
  for (; p < end; p++) {
    const digit = load<u8>(p) - 0x30;
    if (digit > 9) return false;
    n = n * 10 + digit;
  }
  return n <= (isNegative ? 0x8000000000000000 : 0x7fffffffffffffff);
}

/** Plain decimals that a double gives back: always with 15 digits, with 17 often. Very small ones are written otherwise. */
function isDouble(at: i32, end: i32): bool {
  const isNegative = load<u8>(at) == 0x2d;
  let p = isNegative ? at + 1 : at;
  const first = p;
  while (p < end && load<u8>(p) - 0x30 < 10) p++;
  const whole = p - first;
  if (whole > 15) return false;
  const isBelowOne = load<u8>(first) == 0x30;
  if (p == end) return !(isNegative && isBelowOne);
  if (load<u8>(p) != 0x2e || load<u8>(end - 1) == 0x30) return false;
  p++;
  const fraction = p;
  while (isBelowOne && load<u8>(p) == 0x30) p++;
  if (p - fraction > 3) return false;
  const significant = end - p + (isBelowOne ? 0 : whole);
  for (; p < end; p++) if (load<u8>(p) - 0x30 > 9) return false;
  return significant <= 15 || (significant <= 17 && isCanonical(at, end));
}

function put(type: u8, at: i32, end: i32, out: i32): i32 {
  if (type != VARCHAR) {
    memory.copy(out, at, end - at);
    return out + (end - at);
  }
  return unescape(at + 1, end - 1, out);
}
