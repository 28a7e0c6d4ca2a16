import { type Scanner, unsignedOf } from "../engine/mod.ts";
import { type RowColumns, rowsOf } from "./rowColumns.ts";

/** 32-bit words of a uuid as DuckDB has it: a signed number of 128 bits, whose order is that of the texts. */
const WORDS = 4;
const SIGN = 0x8000_0000;

/** Tells in which order rows of one person and time come: by uuid, then by place. */
export type TieOrder = (a: number, b: number) => number;

/** Calls `visit` for each run of rows of one person and time: from the first place in `rows` to behind the last. */
export function eachTie(rows: Uint32Array, columns: RowColumns, visit: (from: number, to: number) => void): void {
  const { persons, low, high } = columns;
  let from = 0;
  for (let i = 1; i <= rows.length; i++) {
    const [a, b] = [rows[from]!, rows[i]!];
    if (i < rows.length && low[a] === low[b] && persons[a] === persons[b] && (high === null || high[a] === high[b])) {
      continue;
    }
    if (i - from > 1) visit(from, i);
    from = i;
  }
}

/** For rows with ties; null where there are none. `lent`: memory for a number a row, in use as long as the order is. */
export async function tieOrder(
  engine: Scanner,
  columns: RowColumns,
  rows: Uint32Array,
  lent: Uint32Array,
): Promise<TieOrder | null> {
  const { path, rowCount } = columns;
  // Where the uuid of a row lies among those that are kept, from 1.
  const places = lent.fill(0);
  let kept = 0;
  eachTie(rows, columns, (from, to) => {
    for (let i = from; i < to; i++) places[rows[i]!] = ++kept;
  });
  if (kept === 0) return null;
  const words = new Uint32Array((kept + 1) * WORDS);
  await engine.scan(`select file_row_number::uinteger, uuid from ${rowsOf(path)}`, rowCount, (chunk) => {
    const [read, uuids] = [unsignedOf(chunk, 0), unsignedOf(chunk, 1, WORDS)];
    for (let i = 0; i < read.length; i++) {
      const place = places[read[i]!]!;
      if (place === 0) continue;
      for (let word = 0; word < WORDS; word++) words[place * WORDS + word] = uuids[i * WORDS + word]!;
      words[place * WORDS + WORDS - 1]! ^= SIGN;
    }
  });
  return (a, b) => {
    const [atA, atB] = [places[a]! * WORDS, places[b]! * WORDS];
    for (let word = WORDS - 1; word >= 0; word--) {
      const order = words[atA + word]! - words[atB + word]!;
      if (order !== 0) return order;
    }
    return a - b;
  };
}
