import type { RowFields } from "../../walk/mod.ts";
import { integersOf, listsOf, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { numberIn } from "../typed/mod.ts";
import type { BoundText } from "./boundText.ts";
import { keyOf, kindsOf, modeOf } from "./eventKinds.ts";
import type { PropertyCodes } from "./kept.ts";
import { type Mark, type PlaceMarks, Places } from "./places.ts";
import { masksOf } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import { sharedUint32 } from "./shared.ts";

/** What marks are read for. Values get codes, in the table `<table>_values`. */
export interface Marking {
  /** The walk's. */
  table: string;
  fields: RowFields;
  /** The table of rows of other files, whose values get codes, too; null where there are none. */
  others: string | null;
  session: WalkSession;
}

/**
 * Asks DuckDB what the kinds of events in journeys are to a walk: its statement reads `journey_names`. By `keyOf` a kind.
 * `hasValue`: the statement tells values.
 */
export async function readNames(
  files: readonly Journey[],
  { text, params }: BoundText,
  { hasValue, ...o }: Marking & { hasValue: boolean },
): Promise<Map<string, Mark>> {
  const { fields, session } = o;
  const kinds = [...new Map(files.flatMap(kindsOf).map((kind) => [keyOf(kind), kind])).values()];
  const [event, mode] = [params.length + 1, params.length + 2];
  const names = `select unnest($${event}::varchar[]) as event, unnest($${mode}::varchar[])::utinyint as person_mode`;
  const told = {
    text: `with journey_names as (${names}) select * from (${text}\n)`,
    params: [...params, kinds.map(({ name }) => name), kinds.map((kind) => String(modeOf(kind)))],
  };
  const columns = `event, personless, ${masksOf(fields)}`;
  const read = hasValue ? await coded(told, columns, o) : { ...told, text: chosen(columns, told.text) };
  const rows = await session.rows(read.text, read.params);
  return new Map(
    rows.map(([name, isPersonless, steps, ...more]) => [
      keyOf({ name: String(name), isPersonless: isPersonless === true }),
      {
        steps: Number(steps),
        excluded: fields.hasExcluded ? Number(more[0]) : 0,
        value: hasValue ? Number(more.at(-1)) : 0,
      },
    ]),
  );
}

/** The marks of rows by the codes of a property: its statement reads `journey_values`. `hasValue`: it tells values. */
export async function readCodedPlaces(
  { values, codes }: PropertyCodes,
  { text, params }: BoundText,
  { hasValue, ...o }: Marking & { hasValue: boolean },
): Promise<PlaceMarks[]> {
  const [joined, separator, count] = [1, 2, 3].map((n) => `$${params.length + n}`);
  const list = `select unnest(string_split(${joined}::varchar, ${separator}::varchar)) as k0, unnest(range(1, ${count}::bigint + 1)) as code`;
  const all = `select code::uinteger as code, k0, ${numberIn("k0")} as n0
    from (${list} union all select null, 0) where code is not null`;
  const told = {
    text: `with journey_values as (${all}) select * from (${text}\n)`,
    params: [...params, values.joined, values.separator, values.count],
  };
  const read = hasValue ? await coded(told, "r.code", o) : { ...told, text: chosen("code", told.text) };
  const byCode = sharedUint32(values.count + 1);
  for await (const chunk of o.session.chunksInMemory(read)) {
    const code = unsignedOf(chunk, 0);
    const value = hasValue ? unsignedOf(chunk, 1) : null;
    for (let i = 0; i < chunk.rowCount; i++) byCode[code[i]!] = 1 + (value?.[i] ?? 0);
  }
  return codes.map((marks) => ({ isRead: 1, hasValue, excluded: null, values: null, marks, byCode }));
}

/** DuckDB does not spill lists: of more rows each comes alone, which it does. */
export const LISTED_MAX_ROWS = 16_000_000;

/**
 * Has DuckDB look at the rows of the files. `steps`: how many, 0 where names tell them; `hasValue`: values are not told by names.
 *
 * The rows come by what they are to the walk, as lists of places: a result of few rows with long lists is several times cheaper to
 * read than one of many rows, and values are compared once.
 */
export async function readPlaces(
  files: readonly Journey[],
  rows: BoundText,
  { steps, hasValue, ...o }: Marking & { steps: number; hasValue: boolean },
): Promise<Places[]> {
  const hasExcluded = steps > 0 && o.fields.hasExcluded;
  const masks = steps === 0 ? [] : [masksOf(o.fields)];
  const columns = ["file", "rows", ...masks].join(", ");
  const areAlikeListed = files.reduce((sum, { rowCount }) => sum + rowCount, 0) <= LISTED_MAX_ROWS;
  const listed = { ...rows, text: listedPlaces(rows.text, { steps, hasExcluded, hasValue, areAlikeListed }) };
  const areCodesAside = hasValue && areAlikeListed;
  if (hasValue) await giveCodes(listed, o);
  const read = !hasValue
    ? { ...listed, text: chosen(columns, listed.text) }
    : { text: areCodesAside ? `select ${columns} from ${o.table}_valued` : withCodes(columns, o), params: [] };
  const codes = areCodesAside ? await codesAside(o) : null;
  const maxValue = hasValue ? await countOf(`${o.table}_values`, o.session) : 0;
  const places = files.map(({ rowCount }) => new Places(rowCount, { steps, maxValue, hasExcluded, hasValue }));
  let next = 0;
  const chunks = areAlikeListed ? o.session.chunksInMemory(read) : o.session.chunks(`${o.table}_places`, read);
  for await (const chunk of chunks) {
    const [file, { bounds, numbers }] = [unsignedOf(chunk, 0), listsOf(chunk, 1)];
    const mask = steps === 0 ? null : integersOf(chunk, 2);
    const excluded = hasExcluded ? integersOf(chunk, 3) : null;
    const value = hasValue && codes === null ? unsignedOf(chunk, 2 + (steps === 0 ? 0 : hasExcluded ? 2 : 1)) : null;
    for (let i = 0; i < chunk.rowCount; i++) {
      const from = bounds[4 * i]!;
      const mark = { steps: mask?.[i] ?? 0, excluded: excluded?.[i] ?? 0, value: codes?.[next++] ?? value?.[i] ?? 0 };
      places[file[i]!]!.set(numbers, from, from + bounds[4 * i + 2]!, mark);
    }
  }
  return places;
}

/** Places of rows by what they are: a `place` is that of the file, shifted by 32 bits, and that of the row in it. */
function listedPlaces(
  text: string,
  o: { steps: number; hasExcluded: boolean; hasValue: boolean; areAlikeListed: boolean },
): string {
  const row = "(place::ubigint & 4294967295)::uinteger";
  const rows = o.areAlikeListed ? `list(${row})` : `[${row}]`;
  const columns = ["(place::ubigint >> 32)::uinteger as file", `${rows} as rows`];
  if (o.steps > 0) columns.push("steps");
  if (o.hasExcluded) columns.push("excluded");
  if (o.hasValue) columns.push("value");
  return `select ${columns.join(", ")} from (${text}\n)${o.areAlikeListed ? " group by all" : ""}`;
}

async function countOf(table: string, session: WalkSession): Promise<number> {
  const [[count] = []] = await session.rows(`select count(*) from ${table}`);
  return Number(count);
}

const chosen = (columns: string, text: string): string => `select ${columns} from (${text}\n)`;

/** These columns of rows, and the codes of their values, from 1. */
async function coded(rows: BoundText, columns: string, o: Marking): Promise<BoundText> {
  await giveCodes(rows, o);
  return { text: withCodes(columns, o), params: [] };
}

/** Keeps rows as the table `<table>_valued`, and gives codes to their values. */
async function giveCodes(rows: BoundText, { table, fields, others, session }: Marking): Promise<void> {
  await session.run(`create temp table ${table}_valued as select * from (${rows.text}\n)`, rows.params);
  const from = [`${table}_valued`, ...(others === null ? [] : [others])];
  const values = from.map((name) => `select value from ${name} where value is not null`).join(" union all ");
  await session.run(
    `create temp table ${table}_values as select value, (row_number() over (${fields.isInOrder ? "order by value" : ""}))::uinteger as code
     from (select distinct value from (${values}))`,
  );
}

const CODE = "coalesce(v.code, 0)::uinteger";

const joined = (table: string): string => `${table}_valued r left join ${table}_values v on v.value = r.value`;

/** The rows that were kept, and the codes of their values. */
const withCodes = (columns: string, { table }: Marking): string => `select ${columns}, ${CODE} from ${joined(table)}`;

/** The codes alone, in the order in which the rows were kept: a join would copy the lists of rows. */
async function codesAside({ table, session }: Marking): Promise<Uint32Array> {
  const text = `select ${CODE} from ${joined(table)} order by r.rowid`;
  const pieces: Uint32Array[] = [];
  for await (const chunk of session.chunksInMemory({ text, params: [] })) pieces.push(unsignedOf(chunk, 0).slice());
  const codes = new Uint32Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    codes.set(piece, at);
    at += piece.length;
  }
  return codes;
}
