import { readFileSync } from "node:fs";
import { GrowingMemory } from "../../wasm/growingMemory.ts";
import { keyTableBytes, writeKeyTable } from "../../wasm/keyTable.ts";
import type { RawFile } from "../engine/mod.ts";
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

const TABLE_AT = 4096;
/** Of `values` in split.as. */
const VALUE_BYTES = 16;
/** Text is looked at sixteen bytes at a time. */
const PADDING_BYTES = 32;

/** One for all: an instance costs as much as a thousand rows. */
const module = new WebAssembly.Instance(MODULE, {
  env: { abort: () => {}, isCanonical: (at: number, end: number) => isCanonical(at, end) },
}).exports as unknown as SplitModule;
const memory = new GrowingMemory(module.memory);
/** The splitter whose columns the instance is set up for. */
let active: Splitter | null = null;

/** The text of a number: whether JavaScript writes it so. */
function isCanonical(at: number, end: number): boolean {
  let text = "";
  for (let i = at; i < end; i++) text += String.fromCharCode(memory.bytes[i]!);
  return String(Number(text)) === text;
}

/**
 * Takes the values of typed columns out of the JSON text of events, a row at a time: the same as `split` of split.ts does
 * inside the engine, at a tenth of the cost. A value has its column only where the column gives the very text again
 * (values.ts); what is written in an unusual way may stay JSON here though it has its column there, which reads the same.
 */
export class Splitter {
  /** A byte a column: whether its key may stand in the JSON of some row. */
  private readonly excepted: Uint8Array;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly textAt: number;
  private exceptionsAt = 0;

  constructor(private readonly columns: readonly TypedColumn[]) {
    // The empty key is in no table, so its values stay JSON.
    this.excepted = Uint8Array.from(columns, ({ key }) => (key === "" ? 1 : 0));
    this.numbers = new Map(columns.flatMap(({ key }, i) => (key === "" ? [] : [[key, i] as const])));
    const tableBytes = keyTableBytes(this.numbers.keys());
    this.textAt = (TABLE_AT + tableBytes + columns.length * (VALUE_BYTES + 2) + 2 * PADDING_BYTES) & ~15;
  }

  /**
   * Writes the fields of a row into a line: each column's value and a separator, then the JSON of what has no column.
   * `json` is valid, without control characters.
   */
  write(json: string, line: Pick<RawFile, "bytes">): void {
    if (active !== this) this.activate();
    const maxBytes = json.length * 3 + PADDING_BYTES;
    const scratchAt = this.textAt + maxBytes;
    const outAt = scratchAt + maxBytes;
    memory.reserve(outAt + 3 * maxBytes + 2 * this.columns.length);
    const { bytes } = memory;
    const end = this.textAt + bytes.write(json, this.textAt);
    bytes.fill(0, end, end + PADDING_BYTES);
    line.bytes(bytes, outAt, module.split(this.textAt, end, scratchAt, outAt));
  }

  /** Ids of the columns whose key may stand in the JSON of some row. */
  get exceptions(): number[] {
    if (active === this) this.rememberExceptions();
    return this.columns.filter((_, i) => this.excepted[i] === 1).map(({ id }) => id);
  }

  private activate(): void {
    active?.rememberExceptions();
    active = this;
    const { columns, excepted } = this;
    memory.reserve(this.textAt);
    const { bytes } = memory;
    bytes.fill(0, TABLE_AT, this.textAt);
    const typesAt = writeKeyTable(bytes, TABLE_AT, this.numbers);
    for (const [i, { type }] of columns.entries()) bytes[typesAt + i] = TYPE_NUMBER[type];
    const exceptionsAt = typesAt + columns.length;
    bytes.set(excepted, exceptionsAt);
    this.exceptionsAt = exceptionsAt;
    const valuesAt = (exceptionsAt + columns.length + 15) & ~15;
    module.configure(TABLE_AT, typesAt, valuesAt, exceptionsAt, columns.length);
  }

  private rememberExceptions(): void {
    this.excepted.set(memory.bytes.subarray(this.exceptionsAt, this.exceptionsAt + this.columns.length));
  }
}
