/**
 * The events of one actor at one instant, which have no order among them: so many (`counts[i]`) fit the steps of `steps[i]` and
 * the exclusions of `excluded[i]`, and have the value `values[i]`, where values matter. No two kinds are equal.
 */
export class Instant {
  us = 0;
  kinds = 0;
  steps = new Int32Array(4);
  excluded = new Int32Array(4);
  values = new Uint32Array(4);
  counts = new Int32Array(4);

  /** All events fit the same: it does not matter that they have no order. */
  get isPlain(): boolean {
    for (let i = 1; i < this.kinds; i++) {
      if (this.steps[i] !== this.steps[0] || this.excluded[i] !== this.excluded[0]) return false;
    }
    return true;
  }

  begin(us: number): void {
    this.us = us;
    this.kinds = 0;
  }

  add(steps: number, excluded: number, value: number, count: number): void {
    for (let i = 0; i < this.kinds; i++) {
      if (this.steps[i] !== steps || this.excluded[i] !== excluded || this.values[i] !== value) continue;
      this.counts[i]! += count;
      return;
    }
    if (this.kinds === this.steps.length) this.grow();
    this.steps[this.kinds] = steps;
    this.excluded[this.kinds] = excluded;
    this.values[this.kinds] = value;
    this.counts[this.kinds++] = count;
  }

  private grow(): void {
    const length = this.kinds * 2;
    const grown = <T extends Int32Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.steps = grown(this.steps, new Int32Array(length));
    this.excluded = grown(this.excluded, new Int32Array(length));
    this.values = grown(this.values, new Uint32Array(length));
    this.counts = grown(this.counts, new Int32Array(length));
  }
}
