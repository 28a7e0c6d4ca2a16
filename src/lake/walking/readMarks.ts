import type { RowFields } from "../../walk/mod.ts";
import { integersOf, type SqlValue, unsignedOf } from "../engine/mod.ts";
import type { Journey } from "../journeys/mod.ts";
import { keyOf, kindsOf, modeOf } from "./eventKinds.ts";
import type { NameMark } from "./marks.ts";
import { Places } from "./places.ts";
import { masksOf } from "./rowSource.ts";
import type { BoundText, WalkSession } from "./session.ts";

/** Asks DuckDB what the kinds of events in journeys are to a walk: its statement reads `journey_names`. By `keyOf` a kind. */
export async function readNames(
  files: readonly Journey[],
  { text, params }: BoundText,
  session: WalkSession,
): Promise<Map<string, NameMark>> {
  const kinds = [...new Map(files.flatMap(kindsOf).map((kind) => [keyOf(kind), kind])).values()];
  const [event, mode] = [params.length + 1, params.length + 2];
  const names = `select unnest($${event}::varchar[]) as event, unnest($${mode}::varchar[])::utinyint as person_mode`;
  const rows = await session.rows(`with journey_names as (${names}) select * from (${text}\n)`, [
    ...params,
    kinds.map(({ name }) => name),
    kinds.map((kind) => String(modeOf(kind))),
  ]);
  return new Map(
    rows.map(([name, isPersonless, steps, excluded]) => [
      keyOf({ name: String(name), isPersonless: isPersonless === true }),
      { steps: Number(steps ?? 0), excluded: Number(excluded ?? 0) },
    ]),
  );
}

/** Rows of files by their places (`JourneyWalk`), as far as there are such: steps and exclusions, and the code of a value in `v`. */
export interface PlacedRows {
  /** The walk's. */
  table: string;
  from: string;
  params: SqlValue[];
  /** How many; 0 where names tell them. */
  steps: number;
}

/** Has DuckDB look at the rows of the files. */
export async function readPlaces(
  files: readonly Journey[],
  { table, from, params, steps: stepCount }: PlacedRows,
  fields: RowFields,
  session: WalkSession,
): Promise<Places[]> {
  const areTold = stepCount > 0;
  const places = files.map(({ rowCount }) => new Places(rowCount, stepCount, fields));
  const masks = areTold ? [masksOf(fields)] : [];
  const code = fields.hasValue ? ["coalesce(v.code, 0)::uinteger"] : [];
  const columns = ["place::ubigint", ...masks, ...code].join(", ");
  const masked = areTold ? (fields.hasExcluded ? 2 : 1) : 0;
  const rows = { text: `select ${columns} from ${from}`, params };
  for await (const chunk of session.chunks(`${table}_marks`, rows)) {
    const place = unsignedOf(chunk, 0, 2);
    const steps = areTold ? integersOf(chunk, 1) : null;
    const excluded = masked === 2 ? integersOf(chunk, 2) : null;
    const value = fields.hasValue ? unsignedOf(chunk, 1 + masked) : null;
    for (let i = 0; i < chunk.rowCount; i++) {
      const row = place[2 * i]!;
      const file = places[place[2 * i + 1]!]!;
      file.marks[row] = file.isRead | (steps === null ? 0 : steps[i]!);
      if (excluded !== null) file.excluded![row] = excluded[i]!;
      if (value !== null) file.values![row] = value[i]!;
    }
  }
  return places;
}
