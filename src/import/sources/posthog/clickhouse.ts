import { askJson, CutOff, type Downloads, downloadTo, Refused, RequestLimit } from "../../staging/mod.ts";
import { rowCount } from "../../takeout/mod.ts";
import type { Staging } from "../../types.ts";
import { type ClickHouse, STAGED_PERSONS } from "./options.ts";

/** A day of more events is asked for by the hour. */
const DAY_ROWS_MAX = 1_000_000;

/** `toString`: in Parquet a uuid is bytes. */
const EVENTS = `SELECT toString(uuid) AS uuid, event, distinct_id, timestamp, properties, elements_chain
  FROM events WHERE team_id = {team:Int64} AND timestamp >= toDateTime64({from:String}, 6, 'UTC')
  AND timestamp < toDateTime64({to:String}, 6, 'UTC') ORDER BY timestamp, uuid FORMAT Parquet`;
const DAYS = `SELECT toString(toDate(timestamp, 'UTC')) AS day, toUInt32(count()) AS number
  FROM events WHERE team_id = {team:Int64} AND timestamp >= toDateTime64({from:String}, 6, 'UTC')
  AND timestamp < toDateTime64({to:String}, 6, 'UTC') GROUP BY day ORDER BY day FORMAT JSON`;
/** The newest row of each id and of each person counts. */
const PERSONS = `SELECT ids.distinct_id AS distinct_id, toString(ids.person) AS person_id,
    toInt64(ids.newest) AS person_distinct_id_version, toInt64(people.newest) AS person_version,
    people.last_properties AS properties, people.last_created_at AS created_at, people.last_is_deleted AS is_deleted,
    people.last_is_identified AS is_identified
  FROM (SELECT distinct_id, argMax(person_id, version) AS person, max(version) AS newest FROM person_distinct_id2
      WHERE team_id = {team:Int64} GROUP BY distinct_id HAVING argMax(is_deleted, version) = 0) AS ids
  INNER JOIN (SELECT id, argMax(properties, version) AS last_properties, argMax(created_at, version) AS last_created_at,
      argMax(is_deleted, version) AS last_is_deleted, argMax(is_identified, version) AS last_is_identified, max(version) AS newest FROM person
      WHERE team_id = {team:Int64} GROUP BY id) AS people ON people.id = ids.person FORMAT Parquet`;

const FIRST_DAY = "1970-01-02 00:00:00";
const LAST_DAY = "2200-01-01 00:00:00";

/** Brings events day by day and persons from the database of a PostHog; gives the parts with persons. */
export async function stageClickHouse(
  database: ClickHouse,
  { fromMs, toMs }: { fromMs: number | null; toMs: number | null },
  to: Staging,
): Promise<string[]> {
  const downloads: Downloads = { name: "ClickHouse", limit: new RequestLimit([]), signal: to.signal };
  const range = { from: fromMs === null ? FIRST_DAY : time(fromMs), to: toMs === null ? LAST_DAY : time(toMs) };
  const bring = async (name: string, sql: string, values: Record<string, string>) =>
    to.part(name, async (path) => {
      const isThere = await downloadTo({ path, check: checkParquet }, requestOf(database, sql, values), downloads);
      if (!isThere) throw new Refused(404, "ClickHouse answers 404: it does not know a table of PostHog.");
    });
  const persons = `${STAGED_PERSONS}all.parquet`;
  await bring(persons, PERSONS, {});
  const days = daysIn(await askJson(requestOf(database, DAYS, range), downloads));
  for (const [i, { day, number }] of days.entries()) {
    to.tell(i, days.length);
    for (const part of partsOf(day, number)) {
      await bring(`events-of-${part.name}.parquet`, EVENTS, within(part, range));
    }
  }
  to.tell(days.length, days.length);
  return [persons];
}

interface DayPart {
  name: string;
  from: string;
  to: string;
}

/** A day, or each of its hours. */
function partsOf(day: string, number: number): DayPart[] {
  const startMs = Date.parse(`${day}T00:00:00Z`);
  const hours = number > DAY_ROWS_MAX ? 1 : 24;
  return Array.from({ length: 24 / hours }, (_, i) => {
    const fromMs = startMs + i * hours * 3_600_000;
    const name = hours === 24 ? day : `${day}T${String(i).padStart(2, "0")}`;
    return { name, from: time(fromMs), to: time(fromMs + hours * 3_600_000) };
  });
}

/** Texts of this form sort as their times do. */
function within({ from, to }: DayPart, range: { from: string; to: string }): { from: string; to: string } {
  return { from: from < range.from ? range.from : from, to: to > range.to ? range.to : to };
}

const time = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

/** Values are bound by the server; the answer begins when it is whole. */
function requestOf({ url, user, password, team }: ClickHouse, sql: string, values: Record<string, string>) {
  const query = new URLSearchParams({ query: sql, param_team: String(team), wait_end_of_query: "1" });
  query.set("output_format_parquet_string_as_string", "1");
  for (const [name, value] of Object.entries(values)) query.set(`param_${name}`, value);
  return {
    url: `${url}/?${query}`,
    headers: { "X-ClickHouse-User": user, ...(password !== "" && { "X-ClickHouse-Key": password }) },
  };
}

function daysIn(answer: unknown): { day: string; number: number }[] {
  const { data = [] } = answer as { data?: { day: string; number: number | string }[] };
  return data.map(({ day, number }) => ({ day, number: Number(number) }));
}

async function checkParquet(path: string): Promise<void> {
  await rowCount(path, "Parquet").catch((error) => {
    throw new CutOff(error.message);
  });
}
