/** A set of numbers below 64. */
export class Bits {
  private low = 0;
  private high = 0;

  constructor(numbers: readonly number[] = []) {
    for (const number of numbers) this.add(number);
  }

  has(number: number): boolean {
    return (((number < 32 ? this.low : this.high) >>> (number & 31)) & 1) === 1;
  }

  add(number: number): void {
    if (number < 32) this.low |= 1 << number;
    else this.high |= 1 << (number - 32);
  }

  addAll({ low, high }: Bits): void {
    this.low |= low;
    this.high |= high;
  }

  clear(): void {
    this.low = 0;
    this.high = 0;
  }

  /** Whether all of the other's numbers are in it. */
  includes({ low, high }: Bits): boolean {
    return (low & ~this.low) === 0 && (high & ~this.high) === 0;
  }

  /** Whether any of the other's numbers is in it. */
  meets({ low, high }: Bits): boolean {
    return ((this.low & low) | (this.high & high)) !== 0;
  }

  delete(number: number): void {
    if (number < 32) this.low &= ~(1 << number);
    else this.high &= ~(1 << (number - 32));
  }
}
