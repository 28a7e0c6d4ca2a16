/** Numbers in an array that grows. */
export class NumberList<T extends Uint32Array | Float64Array> {
  count = 0;

  constructor(public values: T) {}

  /** The numbers that it has; lent until more are added. */
  get all(): T {
    return this.values.subarray(0, this.count) as T;
  }

  push(value: number): void {
    if (this.count === this.values.length) this.extend(this.count + 1);
    this.values[this.count++] = value;
  }

  append(values: T): void {
    this.extend(this.count + values.length);
    this.values.set(values, this.count);
    this.count += values.length;
  }

  /** Makes room for `length` numbers; new ones are 0. */
  extend(length: number): void {
    if (length <= this.values.length) return;
    const before = this.values;
    this.values = new (before.constructor as new (length: number) => T)(Math.max(length, before.length * 2));
    this.values.set(before);
  }
}
