/** SQL by hand as an engine of `scripts/bench lake`, on JSON text or on one ideal file: `duckdbEngine.ts DATASET`. */
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { EVENTS_FILE, PERSONS_FILE } from "../dataset/base.ts";
import { baseOf, type Dataset, openDataset } from "../dataset/dataset.ts";
import { sqlText } from "../dataset/sqlText.ts";
import { serve } from "../engines/engineProcess.ts";
import { questions, type Tables } from "./questions.ts";

const IDEAL_EVENTS = "ideal-events.parquet";
const IDEAL_PERSONS = "ideal-persons.parquet";

const pointer = (key: string) => sqlText(`/${key}`);
const of = (times: string | undefined) => (times === undefined ? "" : `where "timestamp" in (${times})`);
const table = (path: string) => `'${path}'`;

function jsonTables(set: Dataset): Tables {
  const base = baseOf(set);
  return {
    events: ({ keys = [], times }) => {
      const texts = keys.map((key) => `json_extract_string(properties, ${pointer(key)})`);
      const columns = texts.map((text, i) => `, ${text} as k${i}, try_cast(${text} as double) as n${i}`);
      return `(select *${columns.join("")} from ${table(join(base, EVENTS_FILE))} ${of(times)})`;
    },
    activity: () => table(join(base, EVENTS_FILE)),
    ...COUNTS,
    personProperty: (key) =>
      `(select person_id, json_extract_string(properties, ${pointer(key)}) as value from ${table(join(base, PERSONS_FILE))})`,
  };
}

const COUNTS = { countEvents: "count(*)", countPersons: () => "count(distinct person_id)", who: "person_id" };

/** The columns that an event can have, by hand. */
function idealColumns({ vocabulary }: Dataset): Record<string, "VARCHAR" | "DOUBLE" | "BIGINT" | "BOOLEAN"> {
  const { keys } = vocabulary;
  const texts =
    "$browser $os $device_type $current_url $pathname $host $referrer $referring_domain $lib $lib_version $session_id $window_id $insert_id $timezone $raw_user_agent token";
  const numbers = ["$browser_version", "$screen_height", "$screen_width", "$viewport_height", keys.quantity];
  return {
    ...Object.fromEntries([...texts.split(" "), keys.plan, keys.note].map((key) => [key, "VARCHAR" as const])),
    ...Object.fromEntries(numbers.map((key) => [key, "BIGINT" as const])),
    [keys.amount]: "DOUBLE",
    [keys.flag]: "BOOLEAN",
  };
}

function idealTables(set: Dataset): Tables {
  const columns = idealColumns(set);
  const { tags } = set.vocabulary.keys;
  // Written as for these events: every key but the last is in all of them.
  const members = Object.entries(columns).map(([key, type]) =>
    type === "VARCHAR" ? `'"${key}":' || to_json("${key}")::varchar` : `'"${key}":' || "${key}"::varchar`,
  );
  const properties = `'{' || concat_ws(',', ${members.join(", ")}, '"${tags}":' || tags) || '}' as properties`;
  return {
    events: (o) => {
      const keys = (o.keys ?? []).flatMap((key, i) => [`"${key}" as k${i}`, `"${key}" as n${i}`]);
      const read = [`uuid, event, distinct_id, person_id, "timestamp"`, ...keys, ...(o.properties ? [properties] : [])];
      return `(select ${read.join(", ")} from ${table(join(set.path, IDEAL_EVENTS))} ${of(o.times)})`;
    },
    activity: () => table(join(set.path, IDEAL_EVENTS)),
    ...COUNTS,
    personProperty: (key) => `(select person_id, "${key}" as value from ${table(join(set.path, IDEAL_PERSONS))})`,
  };
}

async function writeIdeal(connection: DuckDBConnection, set: Dataset): Promise<void> {
  const { vocabulary } = set;
  const columns = idealColumns(set);
  const shape = JSON.stringify({ ...columns, [vocabulary.keys.tags]: "JSON" });
  await copy(
    connection,
    join(set.path, IDEAL_EVENTS),
    `select uuid, event, distinct_id, person_id, "timestamp",
      ${Object.keys(columns)
        .map((key) => `p."${key}"`)
        .join(", ")}, p."${vocabulary.keys.tags}"::varchar as tags
    from (select *, from_json(properties, ${sqlText(shape)}) as p from ${table(join(baseOf(set), EVENTS_FILE))})
    order by "timestamp"::date, event, "timestamp"`,
  );
  const persons = jsonTables(set);
  await copy(
    connection,
    join(set.path, IDEAL_PERSONS),
    `select p.person_id, t.value as "${vocabulary.tier}", c.value as "$geoip_country_code"
    from ${table(join(baseOf(set), PERSONS_FILE))} p join ${persons.personProperty(vocabulary.tier)} t using (person_id)
    join ${persons.personProperty("$geoip_country_code")} c using (person_id) order by p.person_id`,
  );
}

async function copy(connection: DuckDBConnection, path: string, select: string): Promise<void> {
  await connection.run(`copy (${select}) to '${path}.tmp' (format parquet, compression zstd)`);
  renameSync(`${path}.tmp`, path);
}

async function main(path: string): Promise<void> {
  const set = openDataset(path);
  const instance = await DuckDBInstance.create(":memory:", { threads: String(navigator.hardwareConcurrency) });
  const connection = await instance.connect();
  if (!existsSync(join(set.path, IDEAL_PERSONS))) await writeIdeal(connection, set);
  const variants: Record<string, Tables> = { json: jsonTables(set), ideal: idealTables(set) };
  serve(async ({ question, variant }) => {
    const reader = await connection.runAndReadAll(questions(set.vocabulary)[question]!.duckdb(variants[variant]!));
    return reader.getRowsJson();
  });
}

await main(process.argv[2]!);
