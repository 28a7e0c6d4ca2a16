import type { RowFields } from "../../walk/mod.ts";
import { integersOf, listsOf, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { type Mark, type Marks, NameMarks, PlaceMarks } from "./marks.ts";
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
  if (marks.by === "place") return placeMarks(files, await coded("file, rows", byMarks(marks, o), o), o);
  const names = [...new Set(files.flatMap((file) => file.names))];
  await o.session.run("create temp table journey_names as select unnest($1::varchar[]) as event", [names]);
  const found = await nameMarks(await coded("event", marks, o), o);
  await o.session.run("drop table journey_names");
  return files.map((file) => new NameMarks(file, found, { ...marks, hasValue: o.fields.hasValue }));
}

/**
 * The places by what is there: the file's in the list, and those of rows in it. A result of few rows with long lists is several times
 * cheaper to read than one of many rows, and values are compared once. A `place` has the file's, shifted by 32 bits, and the row's.
 */
function byMarks({ text, params }: BoundText, { fields }: Marking): BoundText {
  const columns = ["(place >> 32)::uinteger as file", "list((place & 4294967295)::uinteger) as rows", "steps"];
  if (fields.hasExcluded) columns.push("excluded");
  if (fields.hasValue) columns.push("value");
  return { text: `select ${columns.join(", ")} from (${text}\n) group by all`, params };
}

/** These columns, `steps` and `excluded` as far as there are such, and the codes of values. */
async function coded(
  columns: string,
  { text, params }: BoundText,
  { table, others, fields, session }: Marking,
): Promise<BoundText> {
  const told = `${columns}, ${masksOf(fields)}`;
  if (!fields.hasValue) return { text: `select ${told} from (${text}\n)`, params };
  await session.run(`create temp table ${table}_marks as select * from (${text}\n)`, params);
  await codeValues([`${table}_marks`, ...(others === null ? [] : [others])], table, session);
  const joined = `${table}_marks p left join ${table}_values v on v.value = p.value`;
  return { text: `select ${told}, coalesce(v.code, 0)::uinteger from ${joined}`, params: [] };
}

async function nameMarks({ text, params }: BoundText, { fields, session }: Marking) {
  const { hasExcluded, hasValue } = fields;
  const rows = await session.rows(text, params);
  return new Map(
    rows.map(([name, steps, ...more]): [string, Mark] => [
      String(name),
      {
        steps: Number(steps),
        excluded: hasExcluded ? Number(more[0]) : 0,
        value: hasValue ? Number(more.at(-1)) : 0,
      },
    ]),
  );
}

async function placeMarks(
  files: readonly Journey[],
  { text, params }: BoundText,
  { fields, session }: Marking,
): Promise<Marks[]> {
  const { hasExcluded, hasValue } = fields;
  const marks = files.map(({ rowCount }) => new PlaceMarks(rowCount, fields));
  const result = await session.stream(text, params);
  for (;;) {
    const chunk = await session.step(() => result.fetchChunk());
    if (chunk === null || chunk.rowCount === 0) return marks;
    const [file, { bounds, numbers }, steps] = [unsignedOf(chunk, 0), listsOf(chunk, 1), integersOf(chunk, 2)];
    const excluded = hasExcluded ? integersOf(chunk, 3) : null;
    const value = hasValue ? unsignedOf(chunk, hasExcluded ? 4 : 3) : null;
    for (let i = 0; i < chunk.rowCount; i++) {
      const from = bounds[4 * i]!;
      const rows = numbers.subarray(from, from + bounds[4 * i + 2]!);
      const mark = { steps: steps[i]!, excluded: excluded?.[i] ?? 0, value: value?.[i] ?? 0 };
      marks[file[i]!]!.set(rows, mark);
    }
  }
}
