/** The rows of an actor that attempts can still be made of, oldest first. */
export class RecentRows {
  us = new Float64Array(64);
  fits = new Int32Array(64);
  values = new Uint32Array(64);
  buckets = new Int32Array(64);
  /** The rows are those from `first` up to `end`. */
  first = 0;
  end = 0;

  add(us: number, fits: number, value: number, bucket: number): void {
    if (this.end === this.us.length) this.makeRoom();
    this.us[this.end] = us;
    this.fits[this.end] = fits;
    this.values[this.end] = value;
    this.buckets[this.end++] = bucket;
  }

  clear(): void {
    this.first = 0;
    this.end = 0;
  }

  /** The first row at the instant of the oldest one, which may have been passed. */
  get firstOfInstant(): number {
    let row = this.first;
    while (row > 0 && this.us[row - 1] === this.us[this.first]) row--;
    return row;
  }

  private makeRoom(): void {
    const { end } = this;
    const first = this.first === end ? end : this.firstOfInstant;
    const passed = this.first - first;
    const length = first > end / 2 ? this.us.length : this.us.length * 2;
    const moved = <T extends Float64Array | Int32Array | Uint32Array>(from: T, to: T): T => {
      to.set(from.subarray(first, end));
      return to;
    };
    this.us = moved(this.us, new Float64Array(length));
    this.fits = moved(this.fits, new Int32Array(length));
    this.values = moved(this.values, new Uint32Array(length));
    this.buckets = moved(this.buckets, new Int32Array(length));
    this.end = end - first;
    this.first = passed;
  }
}
