import type { RowFields } from "../../walk/mod.ts";
import type { SqlValue } from "../engine/mod.ts";
import { integersOf, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { PERSON_MODE_NUMBER } from "../typed/mod.ts";
import { type Marks, type NameMark, NameMarks, PlaceMarks } from "./marks.ts";
import { masksOf } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import type { JourneyWalk } from "./statement.ts";

/** A kind of event, as the marks tell it. */
interface EventKind {
  name: string;
  isPersonless: boolean;
}

const keyOf = ({ name, isPersonless }: EventKind): string => `${isPersonless} ${name}`;

const kindsOf = ({ names, modes }: Journey): EventKind[] =>
  names.map((name, i) => ({ name, isPersonless: modes[i] === PERSON_MODE_NUMBER.propertyless }));

/** Asks DuckDB what the kinds of events in journeys are to a walk: its statement reads `journey_names`. */
export async function nameMarks(
  files: readonly Journey[],
  { text, params, fromMs, toMs }: Extract<JourneyWalk["marks"], { by: "name" }>,
  session: WalkSession,
): Promise<Marks[]> {
  const kinds = new Map(files.flatMap(kindsOf).map((kind) => [keyOf(kind), kind]));
  const columns = [
    [...kinds.values()].map(({ name }) => name),
    [...kinds.values()].map(({ isPersonless }) => PERSON_MODE_NUMBER[isPersonless ? "propertyless" : "full"]),
  ];
  const [event, mode] = [params.length + 1, params.length + 2];
  const names = `select unnest($${event}::varchar[]) as event, unnest($${mode}::varchar[])::utinyint as person_mode`;
  const rows = await session.rows(`with journey_names as (${names}) select * from (${text}\n)`, [
    ...params,
    ...columns,
  ]);
  const marks = new Map<string, NameMark>(
    rows.map(([name, isPersonless, steps, excluded]) => [
      keyOf({ name: String(name), isPersonless: isPersonless === true }),
      { steps: Number(steps ?? 0), excluded: Number(excluded ?? 0) },
    ]),
  );
  return files.map((file) => {
    const own = kindsOf(file).map((kind) => marks.get(keyOf(kind)) ?? null);
    return new NameMarks(file, own, { fromMs, toMs });
  });
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
