import { type Scanner, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "./journey.ts";
import { rowsOf } from "./rowColumns.ts";

/** 32-bit words of a uuid as DuckDB has it: a signed number of 128 bits, whose order is that of the texts. */
const WORDS = 4;
const SIGN = 0x8000_0000;

/** Tells in which order rows of one person and time come: by uuid, then by place. */
export type TieOrder = (a: number, b: number) => number;

/** Rows by person and time. */
type Ordered = Pick<Journey, "starts" | "offsetsMs" | "rows">;

/** Calls `visit` for each run of rows of one person and time: from its first place to behind its last. */
export function eachTie({ starts, offsetsMs }: Ordered, visit: (from: number, to: number) => void): void {
  let from = 0;
  for (let at = 1; at < starts.length; at++) {
    const end = starts[at]!;
    for (let i = from + 1; i <= end; i++) {
      if (i < end && offsetsMs[i] === offsetsMs[from]) continue;
      if (i - from > 1) visit(from, i);
      from = i;
    }
  }
}

/** For rows of the file at `path` with ties; null where there are none. */
export async function tieOrder(engine: Scanner, path: string, ordered: Ordered): Promise<TieOrder | null> {
  const { rows } = ordered;
  let kept = 0;
  eachTie(ordered, (from, to) => (kept += to - from));
  if (kept === 0) return null;
  // Where the uuid of a row lies among those that are kept, from 1.
  const places = new Uint32Array(rows.length);
  let next = 1;
  eachTie(ordered, (from, to) => {
    for (let i = from; i < to; i++) places[rows[i]!] = next++;
  });
  const words = new Uint32Array((kept + 1) * WORDS);
  await engine.scan(`select file_row_number::uinteger, uuid from ${rowsOf(path)}`, rows.length, (chunk) => {
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
