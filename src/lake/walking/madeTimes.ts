import { doubleListsOf, listsOf } from "../engine/mod.ts";
import type { BoundText } from "./boundText.ts";
import type { MadeTimes } from "./kept.ts";
import { LISTED_MAX_ROWS } from "./readMarks.ts";
import type { WalkSession } from "./session.ts";
import { sharedDoubles } from "./shared.ts";

/** Reads the times `at_ms` of rows with a `code`, which are below `codes`. Errors: DuckDB's own. */
export async function readMadeTimes(
  codes: number,
  { text, params }: BoundText,
  table: string,
  session: WalkSession,
): Promise<MadeTimes> {
  const ms = sharedDoubles(codes).fill(Number.NaN);
  const isListed = codes <= LISTED_MAX_ROWS;
  const rows = `select code, at_ms::double as at_ms from (${text}\n) where code is not null and at_ms is not null`;
  const columns = isListed
    ? "coalesce(list(code), []::uinteger[]), coalesce(list(at_ms), []::double[])"
    : "[code], [at_ms]";
  const read = { text: `select ${columns} from (${rows})`, params };
  const chunks = isListed ? session.chunksInMemory(read) : session.chunks(`${table}_made`, read);
  for await (const chunk of chunks) {
    const [{ bounds, numbers }, { numbers: times }] = [listsOf(chunk, 0), doubleListsOf(chunk, 1)];
    // Both columns have lists of one length, one behind the other.
    const end = chunk.rowCount === 0 ? 0 : bounds[4 * chunk.rowCount - 4]! + bounds[4 * chunk.rowCount - 2]!;
    for (let i = 0; i < end; i++) ms[numbers[i]!] = times[i]!;
  }
  return { ms, sizeBytes: ms.byteLength };
}
