export const PAGE_BYTES = 65_536;

/** A module's memory. It grows as is needed and never shrinks. */
export class GrowingMemory {
  /** All of it; another view after each `reserve`, as the old one is of no memory then. */
  bytes: Uint8Array;

  constructor(private readonly memory: WebAssembly.Memory) {
    this.bytes = new Uint8Array(memory.buffer);
  }

  /** Sees to it that there are so many bytes. */
  reserve(sizeBytes: number): void {
    const missing = sizeBytes - this.bytes.byteLength;
    if (missing <= 0) return;
    this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes = new Uint8Array(this.memory.buffer);
  }
}
