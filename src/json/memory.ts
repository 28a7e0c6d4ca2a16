import { readFileSync } from "node:fs";

const PAGE_BYTES = 65_536;
/** The compiler's own data lies below. */
const FIRST_FREE = 4096;
/** The scanners put zeros behind a text. */
export const PADDING_BYTES = 32;

/** The memory of the scanners: tables that stay, and above them the text that is looked at now. It never shrinks. */
class ScanMemory {
  /** All of it; another view after it has grown, as the old one is of no memory then. */
  bytes: Buffer;
  /** The same as integers. */
  ints: Int32Array;
  /** Where a text is put; a multiple of 16. It moves up with each table. */
  textAt = FIRST_FREE;

  constructor(private readonly memory: WebAssembly.Memory) {
    this.bytes = Buffer.from(memory.buffer);
    this.ints = new Int32Array(memory.buffer);
  }

  /** Room for a table, for good, of zeros; gives its address. */
  allot(sizeBytes: number): number {
    const at = this.textAt;
    this.textAt = (at + sizeBytes + 15) & ~15;
    this.reserve(this.textAt);
    this.bytes.fill(0, at, this.textAt);
    return at;
  }

  /** Puts a text at `textAt`, as UTF-8, and gives where it ends. `roomBytes`: at least so much is to be there behind its padding. */
  write(text: string, roomBytes: number): number {
    this.reserve(this.textAt + text.length * 3 + PADDING_BYTES + roomBytes);
    return this.textAt + this.bytes.write(text, this.textAt);
  }

  /** The same of bytes. */
  put(text: Uint8Array, roomBytes: number): void {
    this.reserve(this.textAt + text.byteLength + PADDING_BYTES + roomBytes);
    this.bytes.set(text, this.textAt);
  }

  private reserve(sizeBytes: number): void {
    const missing = sizeBytes - this.bytes.byteLength;
    if (missing <= 0) return;
    this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes = Buffer.from(this.memory.buffer);
    this.ints = new Int32Array(this.memory.buffer);
  }
}

/** What the scanners can do; addresses are of `scanMemory`. Described in wasm/*.as, which scripts/build-wasm compiles. */
interface Scanners {
  memory: WebAssembly.Memory;
  configureOutline(
    events: number,
    properties: number,
    keyOfProperties: number,
    keyOfBatch: number,
    firstProperty: number,
    namesAt: number,
  ): void;
  outline(at: number, length: number, depthMax: number, root: number, items: number, starts: number): number;
  rootBytes(tape: number): number;
  itemBytes(tape: number): number;
  startBytes(tape: number): number;
  findMembers(at: number, end: number, table: number, notes: number): number;
  configureSplit(tableAt: number, typesAt: number, valuesAt: number, exceptionsAt: number, count: number): void;
  split(at: number, end: number, scratch: number, out: number): number;
}

const MODULE = new WebAssembly.Module(readFileSync(new URL("./wasm/json.wasm", import.meta.url)));

/** One instance serves all of a process, one call after the other. */
export const scanners = new WebAssembly.Instance(MODULE, {
  env: { isCanonical: (at: number, end: number) => isCanonical(at, end) },
}).exports as unknown as Scanners;

export const scanMemory = new ScanMemory(scanners.memory);

/** Whether JavaScript writes a number as it is written there. */
function isCanonical(at: number, end: number): boolean {
  const text = scanMemory.bytes.toString("latin1", at, end);
  return String(Number(text)) === text;
}
