import type { DuckDBDataChunk } from "@duckdb/node-api";
import { listsOf, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import type { BoundText } from "./boundText.ts";
import type { PropertyCodes } from "./kept.ts";
import { PackedNumbers } from "./places.ts";
import type { WalkSession } from "./session.ts";

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
