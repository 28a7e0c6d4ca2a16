import { endOfValue, QUOTE, skipBlanks, stringEnd } from "./jsonText.ts";
import { type AutomaticProperty, EVENT_KEYS } from "./numbers.ts";

/** Members that say what the client wants to be true of the person. */
const TOLD = ["$set", "$set_once", "$unset"] as const;

interface KnownKey {
  /** With the quotes around it. */
  quoted: string;
  automatic: AutomaticProperty | null;
  told: number;
}

const SLOTS = 512;
const table: (KnownKey | undefined)[] = new Array(SLOTS);

for (const [key, automatic] of EVENT_KEYS) put({ quoted: `"${key}"`, automatic, told: -1 });
for (const [told, key] of TOLD.entries()) put({ quoted: `"${key}"`, automatic: null, told });

function put(key: KnownKey): void {
  let slot = slotOf(key.quoted, 0, key.quoted.length - 1);
  while (table[slot] !== undefined) slot = (slot + 1) % SLOTS;
  table[slot] = key;
}

/** Of the key between two quotes: length, second and last character tell the known ones well enough apart. */
function slotOf(text: string, open: number, close: number): number {
  const length = close - open;
  return (length * 31 + text.charCodeAt(open + 2) * 7 + text.charCodeAt(close - 1) * 131) % SLOTS;
}

/**
 * Finds what an event's properties say of its person, without making a string for it: it looks at every event. One serves
 * all events in turn. The text must be valid JSON, as all accepted properties are.
 */
export class PersonScan {
  private text = "";
  /** How many automatic properties were found. */
  count = 0;
  private readonly properties: AutomaticProperty[] = [];
  private readonly starts = new Int32Array(EVENT_KEYS.size);
  private readonly ends = new Int32Array(EVENT_KEYS.size);
  private readonly isAlias = new Uint8Array(EVENT_KEYS.size);
  private readonly toldAt = new Int32Array(TOLD.length * 2);

  read(text: string): void {
    this.text = text;
    this.count = 0;
    this.toldAt.fill(0);
    let at = skipBlanks(text, skipBlanks(text, 0) + 1);
    while (text.charCodeAt(at) === QUOTE) {
      const close = stringEnd(text, at);
      const start = skipBlanks(text, skipBlanks(text, close + 1) + 1);
      const end = endOfValue(text, start);
      this.take(at, close, start, end);
      // The comma, or the brace that ends the object.
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
  }

  property(index: number): AutomaticProperty {
    return this.properties[index]!;
  }

  /** JSON text. */
  value(index: number): string {
    return this.text.slice(this.starts[index], this.ends[index]);
  }

  /** JSON text of `$set`, `$set_once` or `$unset`; "" when it is not there. */
  told(which: 0 | 1 | 2): string {
    return this.text.slice(this.toldAt[which * 2], this.toldAt[which * 2 + 1]);
  }

  private take(open: number, close: number, start: number, end: number): void {
    const { text } = this;
    for (let slot = slotOf(text, open, close); ; slot = (slot + 1) % SLOTS) {
      const key = table[slot];
      if (key === undefined) return;
      if (key.quoted.length !== close - open + 1 || !text.startsWith(key.quoted, open)) continue;
      if (key.automatic !== null)
        this.note(key.automatic, key.quoted.length - 2 !== key.automatic.key.length, start, end);
      else {
        this.toldAt[key.told * 2] = start;
        this.toldAt[key.told * 2 + 1] = end;
      }
      return;
    }
  }

  /** Of equal keys the last counts; of `$os` and its other name, `$os`. */
  private note(property: AutomaticProperty, isAlias: boolean, start: number, end: number): void {
    let index = 0;
    while (index < this.count && this.properties[index] !== property) index++;
    if (index < this.count && isAlias && this.isAlias[index] === 0) return;
    this.properties[index] = property;
    this.starts[index] = start;
    this.ends[index] = end;
    this.isAlias[index] = isAlias ? 1 : 0;
    if (index === this.count) this.count++;
  }
}
