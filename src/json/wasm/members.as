import { BACKSLASH, CLOSE_OBJECT, QUOTE, endOfText, endOfValue, find, findEscaped, pad, skipBlanks, stopInText } from "./text";

/**
 * Notes the members of an object whose names are in the table: [number, start of the value, end of the value] each.
 * Gives the end of the notes. The text must be a valid JSON object.
 */
export function findMembers(at: i32, end: i32, table: i32, notes: i32): i32 {
  pad(end);
  let out = notes;
  let p = skipBlanks(skipBlanks(at) + 1);
  while (load<u8>(p) == QUOTE) {
    const stop = stopInText(p + 1);
    const close = endOfText(stop);
    const length = close - p - 1;
    const isEscaped = load<u8>(stop) == BACKSLASH;
    // The next note goes where the name was without its escapes.
    const number = isEscaped ? findEscaped(table, p + 1, length, out) : find(table, p + 1, length);
    const start = skipBlanks(skipBlanks(close + 1) + 1);
    const valueEnd = endOfValue(start);
    if (number >= 0) {
      store<i32>(out, number);
      store<i32>(out + 4, start);
      store<i32>(out + 8, valueEnd);
      out += 12;
    }
    p = skipBlanks(valueEnd);
    if (load<u8>(p) == CLOSE_OBJECT) break;
    p = skipBlanks(p + 1);
  }
  return out;
}
