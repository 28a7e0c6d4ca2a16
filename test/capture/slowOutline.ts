import { EVENT, EVENT_KEY_NUMBERS, PROPERTY, PROPERTY_KEY_NUMBERS } from "../../src/capture/outline/keys.ts";
import { ENTRY, type Outline } from "../../src/capture/outline/outline.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from "../../src/json/mod.ts";
import { TerminalError } from "../../src/types/mod.ts";
import { withoutBreaks, withoutZeros } from "./slowBlanks.ts";

/**
 * What `scanOutline` is to find, found in another way: one pass over the text of a body.
 * One pass over a body: a bare array of events, an object with `batch`, or one event.
 * Throws TerminalError `invalid_payload` when brackets nest deeper than `maxDepth`.
 *
 * It looks at structure alone: brackets, commas, strings. It never fails on bad JSON, what it finds just means nothing
 * then, so `JSON.parse` of the same text must follow. It refuses deep nesting before that, because the parser recurses.
 */
export function outline(bytes: Buffer, maxDepth: number): Outline {
  return new Scan(withoutZeros(bytes), maxDepth).run();
}

/** Integers in a row that grow as needed. */
class Ints {
  values = new Int32Array(256);
  length = 0;

  push4(a: number, b: number, c: number, d: number): void {
    const at = this.length;
    if (at + ENTRY > this.values.length) {
      const larger = new Int32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[at] = a;
    this.values[at + 1] = b;
    this.values[at + 2] = c;
    this.values[at + 3] = d;
    this.length = at + ENTRY;
  }
}

class Scan {
  private readonly root = new Ints();
  private readonly items = new Ints();
  private itemStarts = new Int32Array(64).fill(-1);
  private slot = 0;
  private hasItem = false;
  private hasBatch = false;
  private depth = 0;
  /** Depth of the array whose items are events; 0 outside of it, where the root object itself may be the event. */
  private listDepth = 0;
  private inProperties = false;
  /** By depth: the entry whose value has not ended yet, or -1. */
  private readonly pending = new Int32Array(8).fill(-1);

  /** A unit for each byte, so that what is found are offsets of bytes; what it looks for is ASCII. */
  private readonly text: string;

  constructor(
    private readonly bytes: Buffer,
    private readonly maxDepth: number,
  ) {
    this.text = bytes.toString("latin1");
  }

  run(): Outline {
    const { text } = this;
    const rootAt = skipBlanks(text, 0);
    const rootType = text.charCodeAt(rootAt);
    if (rootType === OPEN_ARRAY) this.listDepth = 1;
    for (let i = rootAt; i < text.length; i++) {
      const c = text.charCodeAt(i);
      if (c === COMMA) this.comma(i);
      else if (c > 0x20 && c !== CLOSE_ARRAY && c !== CLOSE_OBJECT && this.depth === this.listDepth)
        this.hasItem = true;
      if (c === QUOTE) {
        const end = stringEnd(text, i);
        if (end < 0) break;
        i = this.string(i, end);
      } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        if (c === OPEN_OBJECT && this.depth === this.listDepth && this.depth > 0) this.startItem();
        if (++this.depth > this.maxDepth) throw tooDeep(this.maxDepth);
      } else if ((c === CLOSE_OBJECT || c === CLOSE_ARRAY) && this.close(i) <= 0) break;
    }
    const itemCount = this.hasBatch || rootType === OPEN_ARRAY ? this.slot : 0;
    this.setItemStart(itemCount, this.items.length);
    const rootIs = rootType === OPEN_ARRAY ? "array" : rootType === OPEN_OBJECT ? "object" : "other";
    const { root, items, itemStarts, hasBatch } = this;
    const hasEscapes = text.includes("\\u");
    return {
      bytes: withoutBreaks(this.bytes),
      hasEscapes,
      mayRepeat: false,
      rootIs,
      hasBatch,
      itemCount,
      root: root.values.slice(0, root.length),
      items: items.values.slice(0, items.length),
      itemStarts,
    };
  }

  private comma(at: number): void {
    this.endValue(at);
    if (this.depth !== this.listDepth || this.depth === 0) return;
    this.slot++;
    this.setItemStart(this.slot, -1);
  }

  private startItem(): void {
    this.setItemStart(this.slot, this.items.length);
  }

  /** Gives the depth that is left. */
  private close(at: number): number {
    this.endValue(at);
    this.depth--;
    if (this.inProperties && this.depth === this.listDepth + 1) this.inProperties = false;
    if (this.depth < this.listDepth) {
      if (this.hasItem) this.slot++;
      this.listDepth = 0;
    }
    return this.depth;
  }

  /** Takes the string from `open` to `end`; gives where to go on. */
  private string(open: number, end: number): number {
    const level = this.depth - this.listDepth;
    if (level !== 1 && !(level === 2 && this.inProperties)) return end;
    const value = valueAfterKey(this.text, end + 1);
    if (value < 0) return end;
    const number = keyNumber(this.text, open + 1, end, level === 1 ? EVENT_KEY_NUMBERS : PROPERTY_KEY_NUMBERS);
    if (number >= 0) this.startValue(number, open, value);
    return value - 1;
  }

  private startValue(number: number, keyStart: number, valueStart: number): void {
    const into = this.listDepth > 0 ? this.items : this.root;
    const type = this.text.charCodeAt(valueStart);
    if (number === EVENT.properties) {
      this.forgetProperties(into);
      this.inProperties = type === OPEN_OBJECT;
    }
    this.pending[this.depth] = into.length;
    into.push4(number, keyStart, valueStart, valueStart);
    if (number === EVENT.batch && this.depth === 1 && this.listDepth === 0) this.startBatch(type === OPEN_ARRAY);
  }

  private startBatch(isArray: boolean): void {
    this.hasBatch = isArray;
    this.items.length = 0;
    this.slot = 0;
    this.hasItem = false;
    this.setItemStart(0, -1);
    if (isArray) this.listDepth = 2;
  }

  private endValue(at: number): void {
    const { depth } = this;
    const entry = depth < this.pending.length ? this.pending[depth]! : -1;
    if (entry < 0) return;
    let end = at;
    while (this.text.charCodeAt(end - 1) <= 0x20) end--;
    (this.listDepth > 0 ? this.items : this.root).values[entry + 3] = end;
    this.pending[depth] = -1;
  }

  /** Of two `properties` in one event the last counts. */
  private forgetProperties(into: Ints): void {
    const from = this.listDepth > 0 ? this.itemStarts[this.slot]! : 0;
    for (let i = from; i < into.length; i += ENTRY) if (into.values[i]! >= PROPERTY.distinct_id) into.values[i] = -1;
  }

  private setItemStart(slot: number, start: number): void {
    if (slot >= this.itemStarts.length) {
      const larger = new Int32Array(this.itemStarts.length * 2).fill(-1);
      larger.set(this.itemStarts);
      this.itemStarts = larger;
    }
    this.itemStarts[slot] = start;
  }
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

/** The number of the raw key between the quotes, or -1; any of its characters may be written as an escape. */
function keyNumber(text: string, start: number, end: number, numbers: ReadonlyMap<string, number>): number {
  const raw = text.slice(start, end);
  const number = numbers.get(raw);
  if (number !== undefined) return number;
  return raw.includes("\\") ? (numbers.get(decodeKey(raw) ?? "") ?? -1) : -1;
}

function decodeKey(raw: string): string | null {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return null; // not JSON: the parse of the whole body says so
  }
}
