import { readFileSync } from "node:fs";
import { keyTableBytes, writeKeyTable } from "../../wasm/keyTable.ts";
import type { ColumnType, TypedColumn } from "./columns.ts";

/** Source: wasm/split.as, built by scripts/build-wasm. */
const MODULE = new WebAssembly.Module(readFileSync(new URL("./wasm/split.wasm", import.meta.url)));

interface SplitModule {
  memory: WebAssembly.Memory;
  configure(tableAt: number, typesAt: number, valuesAt: number, exceptionsAt: number, count: number): void;
  split(at: number, end: number, scratch: number, out: number): number;
}

/** As split.as numbers them. */
const TYPE_NUMBER: Record<ColumnType, number> = { VARCHAR: 0, BOOLEAN: 1, BIGINT: 2, DOUBLE: 3 };

const PAGE_BYTES = 65_536;
const TABLES_AT = 4096;
/** Of `values` in split.as. */
const VALUE_BYTES = 16;
/** Text is looked at sixteen bytes at a time. */
const PADDING_BYTES = 32;
const UTF8 = new TextEncoder();

/**
 * Takes the values of typed columns out of the JSON text of events, a row at a time: the same as `split` of split.ts does
 * inside the engine, at a tenth of the cost. A value has its column only where the column gives the very text again
 * (values.ts); what is written in an unusual way may stay JSON here though it has its column there, which reads the same.
 */
export class Splitter {
  private readonly module: SplitModule;
  private readonly textAt: number;
  private readonly exceptionsAt: number;
  private bytes: Uint8Array;

  constructor(private readonly columns: readonly TypedColumn[]) {
    this.module = new WebAssembly.Instance(MODULE, {
      env: { abort: () => {}, isCanonical: (at: number, end: number) => this.isCanonical(at, end) },
    }).exports as unknown as SplitModule;
    const { memory } = this.module;
    this.bytes = new Uint8Array(memory.buffer);
    const names = new Map(columns.flatMap(({ key }, i) => (key === "" ? [] : [[key, i] as const])));
    this.reserve(TABLES_AT + keyTableBytes(names.keys()) + columns.length * (VALUE_BYTES + 2) + PADDING_BYTES);
    const typesAt = writeKeyTable(this.bytes, TABLES_AT, names);
    this.exceptionsAt = typesAt + columns.length;
    const valuesAt = (this.exceptionsAt + columns.length + 15) & ~15;
    this.textAt = valuesAt + columns.length * VALUE_BYTES;
    for (const [i, { key, type }] of columns.entries()) {
      this.bytes[typesAt + i] = TYPE_NUMBER[type];
      // It is in no table of names, so its values stay JSON.
      if (key === "") this.bytes[this.exceptionsAt + i] = 1;
    }
    this.module.configure(TABLES_AT, typesAt, valuesAt, this.exceptionsAt, columns.length);
  }

  /**
   * The fields of a row as they stand in a raw file: each column's value and a separator, then the JSON of what has no
   * column. `json` is valid, without control characters. The bytes are good until the next call.
   */
  split(json: string): Uint8Array {
    const maxBytes = json.length * 3 + PADDING_BYTES;
    const scratchAt = this.textAt + maxBytes;
    const outAt = scratchAt + maxBytes;
    this.reserve(outAt + 3 * maxBytes + 2 * this.columns.length);
    const { written } = UTF8.encodeInto(json, this.bytes.subarray(this.textAt, scratchAt));
    const end = this.textAt + written;
    this.bytes.fill(0, end, end + PADDING_BYTES);
    return this.bytes.subarray(outAt, this.module.split(this.textAt, end, scratchAt, outAt));
  }

  /** Ids of the columns whose key may stand in the JSON of some row. */
  get exceptions(): number[] {
    return this.columns.filter((_, i) => this.bytes[this.exceptionsAt + i] === 1).map(({ id }) => id);
  }

  private isCanonical(at: number, end: number): boolean {
    let text = "";
    for (let i = at; i < end; i++) text += String.fromCharCode(this.bytes[i]!);
    return String(Number(text)) === text;
  }

  private reserve(sizeBytes: number): void {
    const missing = sizeBytes - this.bytes.byteLength;
    if (missing <= 0) return;
    this.module.memory.grow(Math.ceil(missing / PAGE_BYTES));
    this.bytes = new Uint8Array(this.module.memory.buffer);
  }
}
