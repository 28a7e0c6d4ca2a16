/** Numbers in an array that grows. */
export class NumberList<T extends Uint32Array | Float64Array> {
  count = 0;

  constructor(public values: T) {}

  push(value: number): void {
    if (this.count === this.values.length) this.extend(this.count + 1);
    this.values[this.count++] = value;
  }

  /** Makes room for `length` numbers; new ones are 0. */
  extend(length: number): void {
    if (length <= this.values.length) return;
    const before = this.values;
    this.values = new (before.constructor as new (length: number) => T)(Math.max(length, before.length * 2));
    this.values.set(before);
  }
}
