import type { RowFields } from "../../walk/mod.ts";
import { integersOf, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { type Marks, type NameMark, NameMarks, PlaceMarks } from "./marks.ts";
import { masksOf } from "./rowSource.ts";
import type { BoundText, WalkSession } from "./session.ts";
import type { JourneyMarks } from "./statement.ts";
import { codeValues } from "./valueCodes.ts";

/** `others`: the table of rows of other files, whose values get codes, too; null where there are none. */
interface Marking {
  table: string;
  others: string | null;
  fields: RowFields;
  session: WalkSession;
}

/** Asks DuckDB what the rows of journeys are to a walk. Values get codes, in the table `<table>_values`. */
export async function marksOf(files: readonly Journey[], marks: JourneyMarks, o: Marking): Promise<Marks[]> {
  if (marks.by === "place") return placeMarks(files, await coded(marks, o), o);
  const names = [...new Set(files.flatMap((file) => file.names))];
  await o.session.run("create temp table journey_names as select unnest($1::varchar[]) as event", [names]);
  const found = await nameMarks(await coded(marks, o), o);
  await o.session.run("drop table journey_names");
  return files.map((file) => new NameMarks(file, found, { ...marks, hasValue: o.fields.hasValue }));
}

/** What is in FROM: the rows `p` with their `steps` and `excluded`, and the codes of their values, `v.code`. */
async function coded({ text, params }: BoundText, { table, others, fields, session }: Marking): Promise<BoundText> {
  if (!fields.hasValue) return { text: `(${text}\n) p`, params };
  await session.run(`create temp table ${table}_marks as select * from (${text}\n)`, params);
  await codeValues([`${table}_marks`, ...(others === null ? [] : [others])], table, session);
  return { text: `${table}_marks p left join ${table}_values v on v.value = p.value`, params: [] };
}

const columnsOf = (fields: RowFields): string =>
  `${masksOf(fields)}${fields.hasValue ? ", coalesce(v.code, 0)::uinteger" : ""}`;

async function nameMarks(
  { text, params }: BoundText,
  { fields, session }: Marking,
): Promise<ReadonlyMap<string, NameMark>> {
  const rows = await session.rows(`select event, ${columnsOf(fields)} from ${text}`, params);
  const { hasExcluded, hasValue } = fields;
  return new Map(
    rows.map(([name, steps, ...more]) => [
      String(name),
      {
        steps: Number(steps),
        excluded: hasExcluded ? Number(more[0]) : 0,
        value: hasValue ? Number(more.at(-1)) : 0,
      },
    ]),
  );
}

/** The rows' `place` is the file's place in the list, shifted by 32 bits, and the row's in the file. */
async function placeMarks(
  files: readonly Journey[],
  { text, params }: BoundText,
  { fields, session }: Marking,
): Promise<Marks[]> {
  const { hasExcluded, hasValue } = fields;
  const marks = files.map(({ rowCount }) => new PlaceMarks(rowCount, fields));
  const place = "(place >> 32)::uinteger, (place & 4294967295)::uinteger";
  const result = await session.stream(`select ${place}, ${columnsOf(fields)} from ${text}`, params);
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
