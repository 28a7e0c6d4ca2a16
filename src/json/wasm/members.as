import { CLOSE_OBJECT, QUOTE, endOfText, endOfValue, find, pad, skipBlanks } from "./text";

/**
 * Notes the members of an object whose names are in the table: [number, start of the value, end of the value] each.
 * Gives the end of the notes. The text must be a valid JSON object.
 */
export function findMembers(at: i32, end: i32, table: i32, notes: i32): i32 {
  pad(end);
  let out = notes;
  let p = skipBlanks(skipBlanks(at) + 1);
  while (load<u8>(p) == QUOTE) {
    const close = endOfText(p + 1);
    const number = find(table, p + 1, close - p - 1);
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
