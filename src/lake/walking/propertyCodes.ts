import type { DuckDBDataChunk } from "@duckdb/node-api";
import { listsOf, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { PackedNumbers } from "./places.ts";
import type { BoundText, WalkSession } from "./session.ts";

/** A property of all rows of some files: each row has the code of its value, 0 without one. */
export interface PropertyCodes {
  /** Values by code, from 1; `separator` is in none of them. */
  values: { joined: string; separator: string; count: number };
  /** By file, and the row's place in it. */
  codes: PackedNumbers[];
  sizeBytes: number;
}

/** A property of more values is not kept. */
const MOST_VALUES = 65_535;
/** DuckDB does not spill lists. */
const MOST_ROWS = 16_000_000;
const SEPARATORS = ["\u001f", "\u001e", "\u001d", "\u001c"];

/** Reads the property `value` of rows with a `place`; null where it is not to be kept. */
export async function readCodes(
  files: readonly Journey[],
  { text, params }: BoundText,
  session: WalkSession,
): Promise<PropertyCodes | null> {
  if (files.reduce((sum, { rowCount }) => sum + rowCount, 0) > MOST_ROWS) return null;
  // Lists of as many values as there are rows need many times the memory, and are of no use.
  const [[about] = []] = await session.rows(`select approx_count_distinct(value) from (${text}\n)`, params);
  if (Number(about) > MOST_VALUES) return null;
  const listed = `select (place::ubigint >> 32)::uinteger as file, list((place::ubigint & 4294967295)::uinteger) as rows, value
    from (${text}\n) where value is not null group by all`;
  const codeOf = new Map<string, number>();
  // How many bits a code has is known behind the last one.
  const coded: { chunk: DuckDBDataChunk; ofRows: Uint32Array }[] = [];
  for await (const chunk of session.chunksInMemory({ text: listed, params })) {
    const ofRows = Uint32Array.from(chunk.getColumnValues(2), (value) => {
      const text = String(value);
      const code = codeOf.get(text) ?? codeOf.size + 1;
      codeOf.set(text, code);
      return code;
    });
    if (codeOf.size > MOST_VALUES) return null;
    coded.push({ chunk, ofRows });
  }
  const values = [...codeOf.keys()];
  const isIn = (mark: string) => values.some((value) => value.includes(mark));
  const separator = SEPARATORS.find((one) => !isIn(one));
  if (separator === undefined || isIn("\0")) return null;
  const codes = files.map(({ rowCount }) => new PackedNumbers(rowCount, values.length));
  for (const { chunk, ofRows } of coded) {
    const [file, { bounds, numbers }] = [unsignedOf(chunk, 0), listsOf(chunk, 1)];
    for (let i = 0; i < chunk.rowCount; i++) {
      const from = bounds[4 * i]!;
      codes[file[i]!]!.set(numbers, from, from + bounds[4 * i + 2]!, ofRows[i]!);
    }
  }
  const joined = values.join(separator);
  const sizeBytes = codes.reduce((sum, { words }) => sum + words.byteLength, joined.length * 2);
  return { values: { joined, separator, count: values.length }, codes, sizeBytes };
}

/** The properties by which walks have been filtered or broken down, for the next ones. Least recently used ones go first. */
export class KnownCodes {
  private readonly known = new Map<string, PropertyCodes>();
  private sizeBytes = 0;
  /** How often others were asked for, and which are not to be kept. */
  private readonly asks = new Map<string, number>();
  private readonly never = new Set<string>();

  constructor(private readonly o: { mostBytes: number; asksBeforeKept: number }) {}

  /** The codes of a property in these files, which `read` may be called for; null where they are not known. Errors are those of `read`. */
  async of(
    key: string,
    locations: readonly string[],
    read: () => Promise<PropertyCodes | null>,
  ): Promise<PropertyCodes | null> {
    const name = JSON.stringify([key, locations]);
    const known = this.known.get(name);
    if (known !== undefined) {
      this.known.delete(name);
      this.known.set(name, known);
      return known;
    }
    const asks = this.asks.get(name) ?? 0;
    if (this.never.has(key) || asks < this.o.asksBeforeKept) {
      this.asks.set(name, asks + 1);
      bound(this.asks);
      return null;
    }
    const made = await read();
    if (made === null || made.sizeBytes > this.o.mostBytes) bound(this.never.add(key));
    else this.keep(name, made);
    return made;
  }

  private keep(name: string, codes: PropertyCodes): void {
    this.known.set(name, codes);
    this.sizeBytes += codes.sizeBytes;
    for (const [oldest, { sizeBytes }] of this.known) {
      if (this.sizeBytes <= this.o.mostBytes) return;
      this.known.delete(oldest);
      this.sizeBytes -= sizeBytes;
    }
  }
}

const MOST_REMEMBERED = 1_000;

/** Forgets the oldest. */
function bound(names: Map<string, number> | Set<string>): void {
  const [oldest] = names.keys();
  if (names.size > MOST_REMEMBERED) names.delete(oldest!);
}
