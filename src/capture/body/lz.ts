const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) VALUES[ALPHABET.charCodeAt(i)] = i;
const BITS_PER_CHARACTER = 6;

/** Codes with a meaning of their own; those above are entries of the dictionary. */
const NEW_8_BITS = 0;
const NEW_16_BITS = 1;
const END = 2;

type Unpacked = { text: string } | "invalid" | "too_long";

/**
 * Unpacks what lz-string's `compressToBase64` made. The package itself has no bound: a few hundred KB can make it
 * build gigabytes. Stops as soon as the text would be longer than `maxUnits` UTF-16 units.
 */
export function unpackLz64(packed: string, maxUnits: number): Unpacked {
  const bits = new BitReader(packed);
  const dictionary: string[] = ["", "", ""];
  const parts: string[] = [];
  let previous: string | null = null;
  let units = 0;
  for (;;) {
    const code = bits.read(32 - Math.clz32(dictionary.length)); // wide enough for the next entry, too
    if (code < 0) return "invalid";
    if (code === END) return { text: parts.join("") };
    let entry: string;
    if (code === NEW_8_BITS || code === NEW_16_BITS) {
      const unit = bits.read(code === NEW_8_BITS ? 8 : 16);
      if (unit < 0) return "invalid";
      entry = String.fromCharCode(unit);
      dictionary.push(entry);
    } else if (code < dictionary.length) entry = dictionary[code]!;
    else if (code === dictionary.length && previous !== null) entry = previous + previous[0]!;
    else return "invalid";

    units += entry.length;
    if (units > maxUnits) return "too_long";
    parts.push(entry);
    if (previous !== null) dictionary.push(previous + entry[0]!);
    previous = entry;
  }
}

class BitReader {
  private at = 0;
  private value = 0;
  private left = 0;

  constructor(private readonly packed: string) {}

  /** The next bits, the first one lowest; -1 when there are not so many, or a character is not of the alphabet. */
  read(count: number): number {
    let result = 0;
    for (let i = 0; i < count; i++) {
      if (this.left === 0 && !this.next()) return -1;
      this.left--;
      result |= ((this.value >> this.left) & 1) << i;
    }
    return result;
  }

  private next(): boolean {
    this.value = VALUES[this.packed.charCodeAt(this.at++)] ?? -1;
    this.left = BITS_PER_CHARACTER;
    return this.value >= 0;
  }
}
