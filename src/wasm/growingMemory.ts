export const PAGE_BYTES = 65_536;

/** A module's memory. It grows as is needed and never shrinks. */
export class GrowingMemory {
  /** All of it; another view after each `reserve`, as the old one is of no memory then. */
  bytes: Buffer;
  /** The same as integers. */
  ints: Int32Array;

  constructor(private readonly memory: WebAssembly.Memory) {
    this.bytes = Buffer.from(memory.buffer);
    this.ints = new Int32Array(memory.buffer);
  }

  /** Sees to it that there are so many bytes. */
  reserve(sizeBytes: number): void {
    const missing = sizeBytes - this.bytes.byteLength;
    if (missing <= 0) return;
    this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes = Buffer.from(this.memory.buffer);
    this.ints = new Int32Array(this.memory.buffer);
  }
}
