/** Of fixed records in a buffer: which of them are equal in their first words. Words are 32 bits. */
export class RowTable {
  private readonly words: Uint32Array;
  private readonly slots: Int32Array;
  private readonly mask: number;
  readonly length: number;

  /** `keyWords`: how many of the words of a record make it what it is; the last of them should be as random as any. */
  constructor(
    bytes: Buffer,
    private readonly recordWords: number,
    private readonly keyWords: number,
  ) {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(bytes);
    this.words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >>> 2);
    this.length = this.words.length / recordWords;
    let slots = 16;
    while (slots < this.length * 2) slots *= 2;
    this.slots = new Int32Array(slots).fill(-1);
    this.mask = slots - 1;
  }

  /** The first record that equals this one, among those that were asked for before; itself where there is none. */
  firstOf(record: number): number {
    const { words, slots, mask, recordWords, keyWords } = this;
    const at = record * recordWords;
    let hash = 0;
    for (let i = 0; i < keyWords; i++) hash = Math.imul(hash ^ words[at + i]!, 0x9e3779b1) ^ (hash >>> 15);
    for (let slot = (hash ^ (hash >>> 13)) & mask; ; slot = (slot + 1) & mask) {
      const other = slots[slot]!;
      if (other === -1) {
        slots[slot] = record;
        return record;
      }
      const from = other * recordWords;
      let i = 0;
      while (i < keyWords && words[at + i] === words[from + i]) i++;
      if (i === keyWords) return other;
    }
  }

  word(record: number, word: number): number {
    return this.words[record * this.recordWords + word]!;
  }
}
