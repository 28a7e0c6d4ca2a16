import { AssertionFailed } from "../types/mod.ts";
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./codes.ts";

// Places in the text of valid JSON, found without making values of it. A text that ends too early is an error.

/** First position after the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start) + 1;
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfNested(text, start);
  let at = start;
  // A number or a literal ends before a comma, a closing bracket or brace, or a blank.
  for (let c = first; c > 0x20 && c !== COMMA && c !== CLOSE_OBJECT && c !== CLOSE_ARRAY; c = text.charCodeAt(at)) at++;
  return at;
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        depth++;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        if (--depth === 0) return at + 1;
    }
  }
  throw new AssertionFailed("JSON ends inside of a list or an object");
}

/** Index of the quote that ends the string opened at `open`. */
export function stringEnd(text: string, open: number): number {
  for (let end = open; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new AssertionFailed("JSON ends inside of a string");
    if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
    let backslashes = 1;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}
