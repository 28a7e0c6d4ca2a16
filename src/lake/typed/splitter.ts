import { keyTableBytes, PADDING_BYTES, scanMemory, scanners, writeKeyTable } from "../../json/mod.ts";
import type { RawFile } from "../engine/mod.ts";
import type { ColumnType, TypedColumn } from "./columns.ts";

/** As split.as numbers them. */
const TYPE_NUMBER: Record<ColumnType, number> = { VARCHAR: 0, BOOLEAN: 1, BIGINT: 2, DOUBLE: 3 };

/** Of `values` in split.as. */
const VALUE_BYTES = 16;

/** Whose columns the scanner is set up for. */
let active: Splitter | null = null;
/** Where the tables of the active one are. */
let tables = { at: 0, sizeBytes: 0 };

/**
 * Takes the values of typed columns out of the JSON text of events, a row at a time: the same as `split` of split.ts does
 * inside the engine, at a tenth of the cost. A value has its column only where the column gives the very text again
 * (values.ts); what is written in an unusual way may stay JSON here though it has its column there, which reads the same.
 */
export class Splitter {
  /** A byte a column: whether its key may stand in the JSON of some row. */
  private readonly excepted: Uint8Array;
  private readonly numbers: ReadonlyMap<string, number>;
  private readonly tableBytes: number;
  private exceptionsAt = 0;

  constructor(private readonly columns: readonly TypedColumn[]) {
    // The empty key is in no table, so its values stay JSON.
    this.excepted = Uint8Array.from(columns, ({ key }) => (key === "" ? 1 : 0));
    this.numbers = new Map(columns.flatMap(({ key }, i) => (key === "" ? [] : [[key, i] as const])));
    this.tableBytes = keyTableBytes(this.numbers.keys()) + columns.length * (VALUE_BYTES + 2) + 16;
  }

  /**
   * Writes the fields of a row into a line: each column's value and a separator, then the JSON of what has no column.
   * `json` is valid, without control characters.
   */
  write(json: string, line: Pick<RawFile, "bytes">): void {
    if (active !== this) this.activate();
    const maxBytes = json.length * 3 + PADDING_BYTES;
    const end = scanMemory.write(json, 4 * maxBytes + 2 * this.columns.length);
    const scratchAt = scanMemory.textAt + maxBytes;
    const outAt = scratchAt + maxBytes;
    line.bytes(scanMemory.bytes, outAt, scanners.split(scanMemory.textAt, end, scratchAt, outAt));
  }

  /** Ids of the columns whose key may stand in the JSON of some row. */
  get exceptions(): number[] {
    if (active === this) this.rememberExceptions();
    return this.columns.filter((_, i) => this.excepted[i] === 1).map(({ id }) => id);
  }

  private activate(): void {
    active?.rememberExceptions();
    active = this;
    const { columns, excepted, tableBytes } = this;
    if (tables.sizeBytes < tableBytes) tables = { at: scanMemory.allot(2 * tableBytes), sizeBytes: 2 * tableBytes };
    const { bytes } = scanMemory;
    bytes.fill(0, tables.at, tables.at + tableBytes);
    const typesAt = writeKeyTable(tables.at, this.numbers);
    for (const [i, { type }] of columns.entries()) bytes[typesAt + i] = TYPE_NUMBER[type];
    const exceptionsAt = typesAt + columns.length;
    bytes.set(excepted, exceptionsAt);
    this.exceptionsAt = exceptionsAt;
    const valuesAt = (exceptionsAt + columns.length + 15) & ~15;
    scanners.configureSplit(tables.at, typesAt, valuesAt, exceptionsAt, columns.length);
  }

  private rememberExceptions(): void {
    const { exceptionsAt, columns } = this;
    this.excepted.set(scanMemory.bytes.subarray(exceptionsAt, exceptionsAt + columns.length));
  }
}
