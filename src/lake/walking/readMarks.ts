import type { RowFields } from "../../walk/mod.ts";
import type { SqlValue } from "../engine/mod.ts";
import { integersOf, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { type Marks, type NameMark, NameMarks, PlaceMarks } from "./marks.ts";
import { masksOf } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import type { JourneyWalk } from "./statement.ts";

/** Asks DuckDB what the names in journeys are to a walk: its statement reads the table `journey_names`. */
export async function nameMarks(
  files: readonly Journey[],
  { text, params, fromMs, toMs }: Extract<JourneyWalk["marks"], { by: "name" }>,
  session: WalkSession,
): Promise<Marks[]> {
  const names = [...new Set(files.flatMap((file) => file.names))];
  await session.run("create temp table journey_names as select unnest($1::varchar[]) as event", [names]);
  const rows = await session.rows(`select * from (${text}\n)`, params);
  await session.run("drop table journey_names");
  const marks = new Map<string, NameMark>(
    rows.map(([name, steps, excluded]) => [
      String(name),
      { steps: Number(steps ?? 0), excluded: Number(excluded ?? 0) },
    ]),
  );
  return files.map((file) => new NameMarks(file, marks, { fromMs, toMs }));
}

/**
 * Has DuckDB look at the rows of the files: `place` is the file's place in the list, shifted by 32 bits, and the row's in
 * the file. Rows of `from` have `steps`, `excluded` and a value's `code`, as far as there are such.
 */
export async function placeMarks(
  files: readonly Journey[],
  { from, params }: { from: string; params: SqlValue[] },
  o: { fields: RowFields; steps: number; session: WalkSession },
): Promise<Marks[]> {
  const { fields, session } = o;
  const { hasExcluded, hasValue } = fields;
  const marks = files.map(({ rowCount }) => new PlaceMarks(rowCount, { ...fields, steps: o.steps }));
  const place = "(place >> 32)::uinteger, (place & 4294967295)::uinteger";
  const code = hasValue ? ", coalesce(v.code, 0)::uinteger" : "";
  const result = await session.stream(`select ${place}, ${masksOf(fields)}${code} from ${from}`, params);
  for (;;) {
    const chunk = await session.step(() => result.fetchChunk());
    if (chunk === null || chunk.rowCount === 0) return marks;
    const [file, row, steps] = [unsignedOf(chunk, 0), unsignedOf(chunk, 1), integersOf(chunk, 2)];
    const excluded = hasExcluded ? integersOf(chunk, 3) : null;
    const value = hasValue ? unsignedOf(chunk, hasExcluded ? 4 : 3) : null;
    for (let i = 0; i < chunk.rowCount; i++) {
      marks[file[i]!]!.set(row[i]!, steps[i]!, excluded === null ? 0 : excluded[i]!, value === null ? 0 : value[i]!);
    }
  }
}
