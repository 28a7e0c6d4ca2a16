/**
 * The events of one actor at one instant, which have no order among them: so many (`counts[i]`) fit the steps of `steps[i]` and
 * the exclusions of `excluded[i]`, and have the value `values[i]`, where values matter. No two kinds are equal.
 */
export class Instant {
  /** Of kinds beyond a few: where each is. */
  private places: Map<string, number> | null = null;
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

  /** The steps that some event fits. */
  get allSteps(): number {
    let all = 0;
    for (let i = 0; i < this.kinds; i++) all |= this.steps[i]!;
    return all;
  }

  begin(us: number): void {
    this.us = us;
    this.kinds = 0;
    this.places = null;
  }

  add(steps: number, excluded: number, value: number, count: number): void {
    const place = this.placeOf(steps, excluded, value);
    if (place !== -1) {
      this.counts[place]! += count;
      return;
    }
    if (this.kinds === this.steps.length) this.grow();
    this.steps[this.kinds] = steps;
    this.excluded[this.kinds] = excluded;
    this.values[this.kinds] = value;
    this.counts[this.kinds] = count;
    this.places?.set(keyOf(steps, excluded, value), this.kinds);
    this.kinds++;
  }

  /** Becomes the events of another instant. */
  copy({ us, kinds, steps, excluded, values, counts }: Instant): void {
    this.begin(us);
    for (let i = 0; i < kinds; i++) this.add(steps[i]!, excluded[i]!, values[i]!, counts[i]!);
  }

  /** Takes events of a kind that is here away. */
  remove(steps: number, excluded: number, value: number, count: number): void {
    const place = this.placeOf(steps, excluded, value);
    this.counts[place]! -= count;
    if (this.counts[place]! > 0) return;
    const last = --this.kinds;
    this.places = null;
    this.steps[place] = this.steps[last]!;
    this.excluded[place] = this.excluded[last]!;
    this.values[place] = this.values[last]!;
    this.counts[place] = this.counts[last]!;
  }

  private placeOf(steps: number, excluded: number, value: number): number {
    if (this.kinds >= MANY) return this.placeOfMany(keyOf(steps, excluded, value));
    for (let i = 0; i < this.kinds; i++) {
      if (this.steps[i] === steps && this.excluded[i] === excluded && this.values[i] === value) return i;
    }
    return -1;
  }

  private placeOfMany(key: string): number {
    if (this.places === null) {
      this.places = new Map();
      for (let i = 0; i < this.kinds; i++) {
        this.places.set(keyOf(this.steps[i]!, this.excluded[i]!, this.values[i]!), i);
      }
    }
    return this.places.get(key) ?? -1;
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

/** As many kinds are looked through one by one. */
const MANY = 16;

const keyOf = (steps: number, excluded: number, value: number): string => `${steps} ${excluded} ${value}`;
