import type { KeyRange } from "./keyFile.ts";

const BITS_PER_KEY = 16;
const BITS_PER_WORD = 32;

/**
 * Tells of most keys that were never added to it that they were not: one look into memory, where a key file takes several. A blocked Bloom filter of two
 * bits a key in one word. Until it has as many keys as it has room for it is wrong about one key in fifty at most; with more, about more.
 */
export class KeyFilter {
  private readonly words: Uint32Array;

  /** `bytes`: a power of two, from four on. */
  constructor(bytes: number) {
    this.words = new Uint32Array(bytes / Uint32Array.BYTES_PER_ELEMENT);
  }

  /** Keys that it is made for. */
  get room(): number {
    return (this.words.length * BITS_PER_WORD) / BITS_PER_KEY;
  }

  get bytes(): number {
    return this.words.byteLength;
  }

  /** `halves`: low and high halves of keys, alternating; `range`: which of the keys. */
  add(halves: Uint32Array, { first, end }: KeyRange): void {
    const { words } = this;
    const mask = words.length - 1;
    for (let at = first; at < end; at++) words[halves[2 * at]! & mask]! |= bitsOf(halves[2 * at + 1]!);
  }

  /** False: the key was not added. */
  mayHold(low: number, high: number): boolean {
    const bits = bitsOf(high);
    return (this.words[low & (this.words.length - 1)]! & bits) === bits;
  }
}

/** The size of a filter with room for so many keys. */
export function bytesFor(keys: number): number {
  const words = Math.max(1, (keys * BITS_PER_KEY) / BITS_PER_WORD);
  return Uint32Array.BYTES_PER_ELEMENT * 2 ** Math.ceil(Math.log2(words));
}

/** Keys are hashes, so the low bits of a half are as good as any. */
const bitsOf = (high: number): number => (1 << (high & 31)) | (1 << ((high >>> 5) & 31));
