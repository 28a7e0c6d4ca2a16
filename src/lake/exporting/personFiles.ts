import { join } from "node:path";
import { type Session, sqlString } from "../engine/mod.ts";
import type { Relations } from "../reading/mod.ts";

/** Persons whose properties are put together at a time: they are in memory then. */
const PERSONS_AT_ONCE = 50_000;

const NO_PERSONS = `(select null::uuid as id, null::timestamp as created_at, null::boolean as is_identified,
  null::varchar as properties where false)`;

/**
 * The persons that a SELECT of `id` gives, in Parquet files with `id`, `created_at`, `is_identified` and `properties`; gives their
 * paths. The ids stay in the table `wanted`.
 */
export async function personFiles(
  session: Session,
  relations: Relations,
  select: string,
  folder: string,
): Promise<string[]> {
  await session.run(`create or replace temp table wanted as
    select id, ((row_number() over () - 1) // ${PERSONS_AT_ONCE})::integer as place from (${select}) where id is not null`);
  const [[count] = []] = await session.run("select count(*) from wanted");
  const paths: string[] = [];
  for (let place = 0; place * PERSONS_AT_ONCE < Number(count); place++) {
    const path = join(folder, `persons-${place}.parquet`);
    const only = `select id from wanted where place = ${place}`;
    const persons = relations.persons({ properties: true, only });
    await session.run(`copy (select id, created_at, is_identified, properties from ${persons})
      to ${sqlString(path)} (format parquet, compression zstd)`);
    paths.push(path);
  }
  return paths;
}

/** The same as the text of a table. */
export async function personTable(
  session: Session,
  relations: Relations,
  select: string,
  folder: string,
): Promise<string> {
  const paths = await personFiles(session, relations, select, folder);
  return paths.length === 0 ? NO_PERSONS : `read_parquet([${paths.map(sqlString).join(", ")}])`;
}
