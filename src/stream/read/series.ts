/** Counts of one kind (events, or drops of one cause) of one project in one partition, by sequence. */
export class Series {
  #sequences: number[] = [];
  #storedAtMs: number[] = [];
  /** Sum of all counts up to and including each entry, forgotten ones too. */
  #sums: number[] = [];
  #head = 0;
  #total = 0;

  add(sequence: number, storedAtMs: number, count: number): void {
    this.#total += count;
    this.#sequences.push(sequence);
    this.#storedAtMs.push(storedAtMs);
    this.#sums.push(this.#total);
  }

  /** The sum above a sequence, or null. */
  above(sequence: number): { count: number; oldestStoredAtMs: number } | null {
    const at = this.#firstAbove(sequence);
    if (at === this.#sequences.length) return null;
    const below = at === 0 ? 0 : this.#sums[at - 1]!;
    return { count: this.#total - below, oldestStoredAtMs: this.#storedAtMs[at]! };
  }

  /** The lowest sequence above one, or null. */
  nextAbove(sequence: number): number | null {
    return this.#sequences[this.#firstAbove(sequence)] ?? null;
  }

  get isEmpty(): boolean {
    return this.#head === this.#sequences.length;
  }

  /** Drops entries at or below a sequence; gives the highest that was dropped, 0 for none. */
  forget(sequence: number): number {
    const head = this.#firstAbove(sequence);
    if (head === this.#head) return 0;
    const highest = this.#sequences[head - 1]!;
    this.#head = head;
    if (head > this.#sequences.length / 2) this.#compact();
    return highest;
  }

  #compact(): void {
    const base = this.#sums[this.#head - 1]!;
    this.#total -= base;
    this.#sequences = this.#sequences.slice(this.#head);
    this.#storedAtMs = this.#storedAtMs.slice(this.#head);
    this.#sums = this.#sums.slice(this.#head).map((sum) => sum - base);
    this.#head = 0;
  }

  #firstAbove(sequence: number): number {
    let [low, high] = [this.#head, this.#sequences.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sequences[middle]! > sequence) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
