/** A set of numbers below 64. */
export class Bits {
  private low = 0;
  private high = 0;

  has(number: number): boolean {
    return number < 32 ? ((this.low >>> number) & 1) === 1 : ((this.high >>> (number - 32)) & 1) === 1;
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

  delete(number: number): void {
    if (number < 32) this.low &= ~(1 << number);
    else this.high &= ~(1 << (number - 32));
  }
}
