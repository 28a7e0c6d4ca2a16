/** Finds its way in the text of valid JSON without making values of it. */
export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
export const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

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
  for (let at = start; ; at++) {
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
}

/** Index of the quote that ends the string opened at `open`. */
export function stringEnd(text: string, open: number): number {
  for (let end = open; ; ) {
    end = text.indexOf('"', end + 1);
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
