/** Times of rows that fit the same steps, ascending. */
class Times {
  private us = new Float64Array(16);
  private first = 0;
  private end = 0;

  add(us: number): void {
    if (this.end === this.us.length) this.makeRoom();
    this.us[this.end++] = us;
  }

  /** Forgets those before `us`. */
  forget(us: number): void {
    while (this.first < this.end && this.us[this.first]! < us) this.first++;
  }

  /** The i-th that is left; infinite where there is none. */
  at(i: number): number {
    return this.first + i < this.end ? this.us[this.first + i]! : Number.POSITIVE_INFINITY;
  }

  private makeRoom(): void {
    const { first, end } = this;
    const to = first > end / 2 ? this.us : new Float64Array(end * 2);
    to.set(this.us.subarray(first, end));
    this.us = to;
    this.end = end - first;
    this.first = 0;
  }
}

/** The rows of an actor that attempts can still be made of, oldest first. */
export class RecentRows {
  us = new Float64Array(64);
  values = new Uint32Array(64);
  buckets = new Int32Array(64);
  /** The rows are those from `first` up to `end`. */
  first = 0;
  end = 0;
  /** By the steps that they fit. */
  private readonly timesOf = new Map<number, Times>();

  add(us: number, fits: number, value: number, bucket: number): void {
    if (this.end === this.us.length) this.makeRoom();
    this.us[this.end] = us;
    this.values[this.end] = value;
    this.buckets[this.end++] = bucket;
    let times = this.timesOf.get(fits);
    if (times === undefined) {
      times = new Times();
      this.timesOf.set(fits, times);
    }
    times.add(us);
  }

  clear(): void {
    this.first = 0;
    this.end = 0;
    this.timesOf.clear();
  }

  /**
   * Offers the rows since the instant of the first one, oldest first, until `take` says that it has enough. Of rows that fit the same none
   * is offered behind one that was not taken.
   */
  offer(take: (us: number, fits: number) => "taken" | "refused" | "enough"): void {
    const since = this.us[this.first]!;
    const left = [...this.timesOf].map(([fits, times]) => {
      times.forget(since);
      return { fits, times, next: 0 };
    });
    for (;;) {
      let earliest = -1;
      let us = Number.POSITIVE_INFINITY;
      for (const [i, { times, next }] of left.entries()) {
        const at = times.at(next);
        if (at < us) [earliest, us] = [i, at];
      }
      if (earliest === -1) return;
      const answer = take(us, left[earliest]!.fits);
      if (answer === "enough") return;
      if (answer === "taken") left[earliest]!.next++;
      else left.splice(earliest, 1);
    }
  }

  private makeRoom(): void {
    const { first, end } = this;
    const length = first > end / 2 ? this.us.length : this.us.length * 2;
    const moved = <T extends Float64Array | Int32Array | Uint32Array>(from: T, to: T): T => {
      to.set(from.subarray(first, end));
      return to;
    };
    this.us = moved(this.us, new Float64Array(length));
    this.values = moved(this.values, new Uint32Array(length));
    this.buckets = moved(this.buckets, new Int32Array(length));
    this.end = end - first;
    this.first = 0;
  }
}
