import { QUOTE } from "../../json/mod.ts";
import { Bits } from "../../types/mod.ts";
import { SMALL_BYTES } from "../body/byteBudget.ts";
import { EVENT, KEY_COUNT } from "./keys.ts";

/** What the scan writes for a known member: its number, and offsets [start of its key, start, end of its value]. */
export const ENTRY = 4;
/** The number stands in the low byte; above it what the scan knows of a string's text (src/json/wasm/outline.as). */
export const KEY_BITS = 0xff;
/** ASCII without escapes. */
const FORM_PLAIN = 256;
/** Moreover a uuid in its canonical form. */
const FORM_UUID = 512;

/** A body, and where in it the members lie that the front looks at. Offsets are of bytes. */
export interface Outline {
  /** The body, valid UTF-8; blanks for the line breaks and tabs between its tokens, and for zeros that end a fraction. */
  bytes: Buffer;
  /** Whether any `\\u` stands in it: without, no text in it needs to be cleaned. */
  hasEscapes: boolean;
  /** Whether a name may stand twice in some event's properties: where not, none does. */
  mayRepeat: boolean;
  rootIs: "array" | "object" | "other";
  /** Whether the root object's `batch` is an array. */
  hasBatch: boolean;
  /** How many items the array of events has: the root, or the `batch` of it. */
  itemCount: number;
  /** Entries of the root object and of its `properties`. */
  root: Int32Array;
  /** The same of all items. */
  items: Int32Array;
  /** Where the entries of item i begin in `items`, -1 when it is no object. One more than there are items. */
  itemStarts: Int32Array;
}

/** Bytes of memory that it takes; a small number of notes is not counted. */
export function heldBytes({ bytes, items, itemStarts }: Outline): number {
  const notesBytes = (items.length + itemStarts.length) * Int32Array.BYTES_PER_ELEMENT;
  return bytes.byteLength + (notesBytes > SMALL_BYTES ? notesBytes : 0);
}

/**
 * The known members of one event (or of the root). Of equal names the last counts, as everywhere in JSON.
 * One serves all events of a request in turn.
 */
export class Members {
  bytes: Buffer = Buffer.alloc(0);
  /** As `Outline.hasEscapes`. */
  hasEscapes = false;
  /** The entries that it was loaded with, of every occurrence. */
  entries: Int32Array = new Int32Array(0);
  from = 0;
  to = 0;
  /** Where the last entry of each key is that it has. */
  private readonly at = new Int32Array(KEY_COUNT);
  /** The keys that it has. */
  private readonly keys = new Bits();

  /** Gives false when item `index` is no object. */
  toItem(outline: Outline, index: number): boolean {
    const from = outline.itemStarts[index]!;
    if (from < 0) return false;
    let next = index + 1;
    while (outline.itemStarts[next]! < 0) next++;
    this.load(outline, outline.items, from, outline.itemStarts[next]!);
    return true;
  }

  toRoot(outline: Outline): void {
    this.load(outline, outline.root, 0, outline.root.length);
  }

  /** Those that `entries` note from `from` to `to`. */
  load(
    { bytes, hasEscapes }: Pick<Outline, "bytes" | "hasEscapes">,
    entries: Int32Array,
    from: number,
    to: number,
  ): void {
    this.bytes = bytes;
    this.hasEscapes = hasEscapes;
    this.entries = entries;
    this.from = from;
    this.to = to;
    this.keys.clear();
    for (let i = from; i < to; i += ENTRY) {
      if (entries[i]! < 0) continue;
      const key = entries[i]! & KEY_BITS;
      this.at[key] = i;
      this.keys.add(key);
    }
  }

  /** Where the first of them begins. */
  get firstByte(): number {
    return this.from === this.to ? 0 : this.entries[this.from + 1]!;
  }

  /** Where the last of them ends. */
  get lastByte(): number {
    if (this.from === this.to) return 0;
    const lastEnd = this.entries[this.to - 1]!;
    // Those of the properties are noted behind the properties themselves.
    return this.has(EVENT.properties) ? Math.max(lastEnd, this.end(EVENT.properties)) : lastEnd;
  }

  has(key: number): boolean {
    return this.keys.has(key);
  }

  hasAny(keys: Bits): boolean {
    return this.keys.meets(keys);
  }

  /** The first byte of a value, which tells its type; NaN when the member is absent. */
  typeOf(key: number): number {
    return this.has(key) ? this.bytes[this.start(key)]! : Number.NaN;
  }

  /** The text of a value; "" when the member is absent. */
  raw(key: number): string {
    return this.has(key) ? this.bytes.toString("utf8", this.start(key), this.end(key)) : "";
  }

  /** Where a value that is there begins. */
  start(key: number): number {
    return this.entries[this.at[key]! + 2]!;
  }

  /** Where a value that is there ends. */
  end(key: number): number {
    return this.entries[this.at[key]! + 3]!;
  }

  /** Whether the value is a string, known to be of ASCII without escapes. */
  isPlain(key: number): boolean {
    return this.has(key) && (this.entries[this.at[key]!]! & FORM_PLAIN) !== 0;
  }

  /** Whether the value is known to be a uuid in its canonical form. */
  isUuid(key: number): boolean {
    return this.has(key) && (this.entries[this.at[key]!]! & FORM_UUID) !== 0;
  }

  /** Whether the value reads so (for `true`, `false`, `null`). */
  is(key: number, literal: string): boolean {
    if (!this.has(key) || this.end(key) - this.start(key) !== literal.length) return false;
    for (let i = 0; i < literal.length; i++)
      if (this.bytes[this.start(key) + i] !== literal.charCodeAt(i)) return false;
    return true;
  }

  /** Whether there is a value other than null. */
  isGiven(key: number): boolean {
    return this.has(key) && this.typeOf(key) !== LOWER_N;
  }

  /** The value where it is a string, else null. */
  string(key: number): string | null {
    if (this.typeOf(key) !== QUOTE) return null;
    const inner = this.bytes.toString("utf8", this.start(key) + 1, this.end(key) - 1);
    return inner.includes("\\") ? (JSON.parse(`"${inner}"`) as string) : inner;
  }
}

/** First position from `from` on that is no blank. */
export function skipBlanks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at]! <= 0x20) at++;
  return at;
}

const LOWER_N = 0x6e;
