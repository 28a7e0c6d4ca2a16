const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Calls back for each member of a JSON object's text, in order, with where its raw key (between the quotes) and its value
 * stand. The text must be valid JSON, as all accepted properties are; what is no object has no members.
 */
export function eachMember(
  text: string,
  visit: (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void,
): void {
  let at = skipBlanks(text, 0);
  if (text.charCodeAt(at) !== OPEN_OBJECT) return;
  at = skipBlanks(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at);
    const valueStart = skipBlanks(text, skipBlanks(text, keyEnd + 1) + 1);
    const valueEnd = endOfValue(text, valueStart);
    visit(at + 1, keyEnd, valueStart, valueEnd);
    // The comma, or the brace that ends the object.
    at = skipBlanks(text, skipBlanks(text, valueEnd) + 1);
  }
}

/** The members of an object's text: value texts by key; of equal keys the last, as everywhere in JSON. */
export function membersOf(text: string): Map<string, string> {
  const members = new Map<string, string>();
  eachMember(text, (keyStart, keyEnd, valueStart, valueEnd) => {
    members.set(keyText(text, keyStart, keyEnd), text.slice(valueStart, valueEnd));
  });
  return members;
}

/** A key by where its raw text stands. */
export function keyText(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  return raw.includes("\\") ? (JSON.parse(`"${raw}"`) as string) : raw;
}

/** First position after the value that begins at `start`. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return stringEnd(text, start) + 1;
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return endOfNested(text, start);
  let at = start;
  // A number or a literal ends before a comma, a closing bracket or brace, or a blank.
  for (let c = first; c > 0x20 && c !== 0x2c && c !== 0x7d && c !== 0x5d; c = text.charCodeAt(at)) at++;
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
      case 0x7d:
      case 0x5d:
        if (--depth === 0) return at + 1;
    }
  }
}

/** Index of the quote that ends the string opened at `open`. */
function stringEnd(text: string, open: number): number {
  for (let end = open; ; ) {
    end = text.indexOf('"', end + 1);
    if (text.charCodeAt(end - 1) !== BACKSLASH) return end;
    let backslashes = 1;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 0x20) at++;
  return at;
}
