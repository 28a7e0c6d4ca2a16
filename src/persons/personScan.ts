import { keyTable, PADDING_BYTES, scanMemory, scanners } from "../json/mod.ts";
import { Bits } from "../types/mod.ts";
import { AUTOMATIC, type AutomaticProperty, EVENT_KEYS } from "./automatic.ts";

/** Members by which the client itself changes properties of the person. */
const TOLD = ["$set", "$set_once", "$unset"] as const;

/** A note: the name's number, and where its value begins and ends. */
const NOTE_INTS = 3;
const NOTE_BYTES = NOTE_INTS * 4;
/** No member with a known name is shorter, with its comma. */
const MEMBER_MIN_BYTES = 8;

/** Names that are looked for, by number: first those of `TOLD`, then the keys of automatic properties. */
const names = [...TOLD, ...EVENT_KEYS.keys()];
const automatic = names.map((name) => EVENT_KEYS.get(name) ?? null);
/** Some SDKs have another name for `$os`. */
const isAlias = names.map((name, number) => automatic[number]?.key !== name);

const tableAt = keyTable(new Map(names.map((name, number) => [name, number])));

/**
 * Finds the members of an event's properties that are about its person. It looks at every event, so it makes no strings before they
 * are asked for. One serves all events in turn. The text must be a valid JSON object, as all accepted properties are.
 */
export class PersonScan {
  private text = "";
  /** Whether an index into the bytes is the same index in the text. */
  private isAscii = true;
  /** How many automatic properties were found. */
  count = 0;
  /** Their numbers. */
  readonly numbers = new Bits();
  /** Whether all of them change with nearly every event. */
  isNoise = true;
  private readonly properties: AutomaticProperty[] = [];
  private readonly starts = new Int32Array(AUTOMATIC.length);
  private readonly ends = new Int32Array(AUTOMATIC.length);
  private readonly isAlias = new Uint8Array(AUTOMATIC.length);
  private readonly toldAt = new Int32Array(TOLD.length * 2);

  read(text: string): void {
    const maxBytes = text.length * 3 + PADDING_BYTES;
    const textEnd = scanMemory.write(text, Math.ceil((maxBytes / MEMBER_MIN_BYTES) * NOTE_BYTES));
    const { ints, textAt } = scanMemory;
    const notesAt = (textAt + maxBytes + 3) & ~3;
    const notesEnd = scanners.findMembers(textAt, textEnd, tableAt, notesAt);
    this.text = text;
    this.isAscii = textEnd - textAt === text.length;
    this.count = 0;
    this.numbers.clear();
    this.isNoise = true;
    this.toldAt.fill(0);
    for (let i = notesAt / 4; i < notesEnd / 4; i += NOTE_INTS) {
      this.take(ints[i]!, ints[i + 1]! - textAt, ints[i + 2]! - textAt);
    }
  }

  property(index: number): AutomaticProperty {
    return this.properties[index]!;
  }

  /** JSON text; good until the next `read`. */
  value(index: number): string {
    return this.slice(this.starts[index]!, this.ends[index]!);
  }

  /** JSON text of `$set`, `$set_once` or `$unset`; "" when it is not there. */
  told(which: 0 | 1 | 2): string {
    return this.slice(this.toldAt[which * 2]!, this.toldAt[which * 2 + 1]!);
  }

  private slice(start: number, end: number): string {
    if (this.isAscii) return this.text.slice(start, end);
    const { bytes, textAt } = scanMemory;
    return bytes.toString("utf8", textAt + start, textAt + end);
  }

  /** Of equal keys the last counts. */
  private take(name: number, start: number, end: number): void {
    const property = automatic[name];
    if (property != null) {
      this.note(property, isAlias[name]!, start, end);
      return;
    }
    this.toldAt[name * 2] = start;
    this.toldAt[name * 2 + 1] = end;
  }

  /** `$os` wins over `$os_name`. */
  private note(property: AutomaticProperty, isAlias: boolean, start: number, end: number): void {
    let index = 0;
    while (index < this.count && this.properties[index] !== property) index++;
    if (index < this.count && isAlias && this.isAlias[index] === 0) return;
    this.properties[index] = property;
    this.starts[index] = start;
    this.ends[index] = end;
    this.isAlias[index] = isAlias ? 1 : 0;
    if (index < this.count) return;
    this.count++;
    this.numbers.add(property.number);
    this.isNoise &&= property.isNoise;
  }
}
