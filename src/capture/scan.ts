import { TerminalError } from "../types/mod.ts";

/**
 * Where each event's `properties` object lies in the text of a body, so that it is stored as the client wrote it
 * (1e2, 1.10 and 12345678901234567890 keep their digits).
 *
 * The scan looks at structure alone: brackets, commas, strings. It never fails on bad JSON, its spans just mean nothing
 * then, so `JSON.parse` of the same text must follow before they are used. It refuses deep nesting before that,
 * because the parser recurses.
 */
export class Outline {
  /** Offsets [event, properties, end of properties] for each slot; slot 0 is the root object, i + 1 the item i. */
  private spans = new Uint32Array(64 * SPAN);

  /** Raw text of the `properties` object of item `index`; only where the parsed value is an object. */
  properties(text: string, index: number): string {
    const at = index * SPAN + SPAN;
    return text.slice(this.spans[at + PROPERTIES], this.spans[at + PROPERTIES_END]);
  }

  /** Where the object of item `index` begins. */
  eventStart(index: number): number {
    return this.spans[index * SPAN + SPAN]!;
  }

  /** Takes the root object for the only item. */
  useRoot(): void {
    this.spans.copyWithin(SPAN, 0, SPAN);
  }

  write(slot: number, field: number, offset: number): void {
    const at = slot * SPAN + field;
    if (at >= this.spans.length) {
      const larger = new Uint32Array(2 ** Math.ceil(Math.log2(at + 1)));
      larger.set(this.spans);
      this.spans = larger;
    }
    this.spans[at] = offset;
  }
}

const SPAN = 3;
const EVENT = 0;
const PROPERTIES = 1;
const PROPERTIES_END = 2;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * One pass over a body: a bare array of events, an object with `batch`, or one event.
 * Throws TerminalError `invalid_payload` when brackets nest deeper than `maxDepth`.
 */
export function outline(text: string, maxDepth: number): Outline {
  const found = new Outline();
  const rootAt = skipBlanks(text, 0);
  const rootIsArray = text.charCodeAt(rootAt) === OPEN_ARRAY;
  // Depth of the array whose items are events; 0 while outside of one, where the root object itself may be the event.
  let listDepth = rootIsArray ? 1 : 0;
  let slot = rootIsArray ? 1 : 0;
  let depth = 0;
  let inProperties = false;

  for (let i = rootAt; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) {
      const end = stringEnd(text, i);
      if (end < 0) return found;
      if (depth === listDepth + 1) {
        const value = valueAfterKey(text, end + 1);
        if (value >= 0) {
          const isObject = text.charCodeAt(value) === OPEN_OBJECT;
          if (isKey(text, i + 1, end, "properties")) {
            inProperties = isObject;
            if (isObject) found.write(slot, PROPERTIES, value);
          } else if (listDepth === 0 && text.charCodeAt(value) === OPEN_ARRAY && isKey(text, i + 1, end, "batch")) {
            listDepth = 2;
            slot = 1;
          }
          i = value - 1;
          continue;
        }
      }
      i = end;
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      if (c === OPEN_OBJECT && depth === listDepth) found.write(slot, EVENT, i);
      if (++depth > maxDepth) throw tooDeep(maxDepth);
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
      depth--;
      if (inProperties && depth === listDepth + 1) {
        found.write(slot, PROPERTIES_END, i + 1);
        inProperties = false;
      } else if (depth < listDepth) {
        listDepth = 0;
        slot = 0;
        if (depth <= 0) return found;
      }
    } else if (c === COMMA && depth === listDepth && depth > 0) {
      slot++;
    }
  }
  return found;
}

/**
 * The members of the JSON object that begins at `start`: decoded key → raw text of the value; of equal keys the last wins.
 * Only for text that `JSON.parse` has accepted.
 */
export function members(text: string, start = 0): Map<string, string> {
  const found = new Map<string, string>();
  let depth = 0;
  let key = "";
  let valueAt = -1;
  for (let i = skipBlanks(text, start); i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (depth === 1 && valueAt >= 0 && (c === COMMA || c === CLOSE_OBJECT)) {
      found.set(key, text.slice(valueAt, i).trim());
      valueAt = -1;
    }
    if (c === QUOTE) {
      const end = stringEnd(text, i);
      if (depth === 1 && valueAt < 0) {
        key = JSON.parse(text.slice(i, end + 1)) as string;
        valueAt = valueAfterKey(text, end + 1);
        i = valueAt - 1;
      } else {
        i = end;
      }
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      depth++;
    } else if ((c === CLOSE_OBJECT || c === CLOSE_ARRAY) && --depth === 0) {
      return found;
    }
  }
  return found;
}

function tooDeep(maxDepth: number): TerminalError {
  return new TerminalError("invalid_payload", `failed to parse request: nested deeper than ${maxDepth} levels`);
}

/** Index of the quote that ends the string opened at `open`, or -1. */
function stringEnd(text: string, open: number): number {
  for (let end = open; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0 || text.charCodeAt(end - 1) !== BACKSLASH) return end;
    let backslashes = 1;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

/** Where the value begins when a colon follows, else -1: then the string was itself a value. */
function valueAfterKey(text: string, from: number): number {
  const colon = skipBlanks(text, from);
  return text.charCodeAt(colon) === COLON ? skipBlanks(text, colon + 1) : -1;
}

function skipBlanks(text: string, from: number): number {
  let i = from;
  while (text.charCodeAt(i) <= 0x20) i++;
  return i;
}

/** Whether the raw key between the quotes reads `name`; any of its characters may be written as an escape. */
function isKey(text: string, start: number, end: number, name: string): boolean {
  const length = end - start;
  if (length === name.length) return text.startsWith(name, start);
  if (length < name.length || length > name.length * 6) return false;
  const raw = text.slice(start, end);
  return raw.includes("\\") && decodeKey(raw) === name;
}

function decodeKey(raw: string): string | null {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return null; // not JSON: the parse of the whole body says so
  }
}
