import { rmSync, writeFileSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { DAY_MS, personIdOf } from "../../../src/types/mod.ts";
import { sqlText } from "./sqlText.ts";
import { distinctIdOf, type Vocabulary } from "./vocabulary.ts";

/** Events of one person that follow each other. */
const SESSION_EVENTS = 5;
/** Sessions that run side by side. */
const CONCURRENT = 128;

/** `n`, `distinct_id`, `person_id`, `properties` (JSON text): a row a person. */
export const PERSONS_FILE = "persons.parquet";
/**
 * `i`, `uuid`, `event`, `distinct_id`, `person_id`, `timestamp`, `properties` (JSON text of 25 keys, about 1 KB), in order of
 * time: what all engines are filled from.
 */
export const EVENTS_FILE = "events.parquet";

/** Writes the events and persons of a data set into `directory`. No two events have one time. */
export async function writeBase(connection: DuckDBConnection, directory: string, v: Vocabulary): Promise<void> {
  const ids = `${directory}/ids.csv`;
  const lines = Array.from({ length: v.persons }, (_, n) => {
    const distinctId = distinctIdOf(n, v);
    return `${n},${distinctId},${personIdOf(v.team, distinctId)}`;
  });
  writeFileSync(ids, lines.join("\n"));
  await connection.run(
    `create table persons as select *, ${personProperties(v)} as properties
     from read_csv('${ids}', header = false, columns = {n: 'BIGINT', distinct_id: 'VARCHAR', person_id: 'UUID'}) order by n`,
  );
  rmSync(ids);
  await connection.run(`copy persons to '${directory}/${PERSONS_FILE}' (format parquet, compression zstd)`);
  await connection.run(
    `copy (select e.i, e.uuid, e.event, p.distinct_id, p.person_id, e.at as "timestamp", e.properties
           from (${eventsSql(v)}) e join persons p on p.n = e.person order by e.i)
     to '${directory}/${EVENTS_FILE}' (format parquet, compression zstd, row_group_size 32768)`,
  );
  await connection.run("drop table persons");
}

const PURPOSES = 64;

/** 64 random bits that belong to a row and a purpose. Of one number: DuckDB's hash of several is too regular. */
function bits(row: string, purpose: number, { seed }: Vocabulary): string {
  return `hash(${row} * ${PURPOSES} + ${seed * 2 ** 32 + purpose})`;
}

/** A random number from 0 up to 1. */
function share(row: string, purpose: number, v: Vocabulary): string {
  return `((${bits(row, purpose, v)} >> 11)::double / 9007199254740992)`;
}

function pick(list: readonly string[], random: string): string {
  return `([${list.map(sqlText).join(", ")}])[1 + floor(${list.length} * ${random})::bigint]`;
}

/** Early numbers are drawn more often. */
function pickSkewed(list: readonly string[], random: string): string {
  return pick(list, `pow(${random}, 2)`);
}

function personProperties(v: Vocabulary): string {
  return `'{"${v.tier}":"' || ${pickSkewed(v.tiers, share("n", 50, v))} || '","email":"' || distinct_id || '","$geoip_country_code":"'
    || ${pickSkewed(["US", "DE", "FR", "GB", "IN", "BR"], share("n", 51, v))} || '"}'`;
}

function eventsSql(v: Vocabulary): string {
  const spacingMs = (v.days * DAY_MS) / v.events;
  const r = (purpose: number) => share("i", purpose, v);
  const ofPerson = (purpose: number) => share("person", purpose, v);
  const ofSession = (purpose: number) => share("session", purpose, v);
  const paid = `event in (${[v.names.started, v.names.paid].map(sqlText).join(", ")})`;
  const path = `'/section-' || floor(40 * pow(${r(10)}, 2))::int || '/page-' || floor(500 * ${r(11)})::int`;
  // Pairs of a key and the SQL text of its JSON value.
  const members: [string, string][] = [
    ["$browser", quote(`browser`)],
    ["$browser_version", `version`],
    ["$os", quote(`os`)],
    ["$device_type", quote(`case when os in ('iOS', 'Android') then 'Mobile' else 'Desktop' end`)],
    ["$current_url", quote(`'https://${v.host}' || path || '?ref=' || to_hex(${bits("i", 12, v)})`)],
    ["$pathname", quote("path")],
    ["$host", quote(sqlText(v.host))],
    ["$referrer", quote(`'https://' || referrer || '/search?q=' || floor(1000 * ${r(13)})::int`)],
    ["$referring_domain", quote("referrer")],
    ["$screen_height", `(900 + 90 * floor(8 * ${ofPerson(2)}))::int`],
    ["$screen_width", `(1440 + 160 * floor(8 * ${ofPerson(2)}))::int`],
    ["$viewport_height", `(600 + floor(400 * ${ofSession(3)}))::int`],
    ["$lib", `'"web"'`],
    ["$lib_version", quote(pickSkewed(["1.275.0", "1.274.1", "1.260.3"], ofSession(4)))],
    ["$session_id", quote(`'s-' || session || '-' || to_hex(${bits("session", 31, v)})`)],
    ["$window_id", quote(`'w-' || session || '-' || to_hex(${bits("session", 32, v)})`)],
    ["$insert_id", quote(`to_hex(${bits("i", 14, v)})`)],
    ["$timezone", quote(pickSkewed(["America/New_York", "Europe/Berlin", "Asia/Kolkata"], ofPerson(5)))],
    [
      "$raw_user_agent",
      quote(
        `'Mozilla/5.0 (' || os || '; x64) AppleWebKit/537.36 (KHTML, like Gecko) ' || browser || '/' || version || '.0.0.0'`,
      ),
    ],
    ["token", `'"phc_bench"'`],
    [v.keys.plan, quote(pickSkewed(v.plans, ofPerson(6)))],
    [v.keys.flag, `(${r(15)} < 0.3)::varchar`],
    [v.keys.tags, `'["' || ${pick(v.plans, r(16))} || '","' || ${pick(v.plans, r(17))} || '"]'`],
    [v.keys.quantity, `(1 + floor(9 * ${r(18)}))::int`],
    [
      v.keys.note,
      quote(
        `to_hex(${bits("i", 20, v)}) || ' ' || path || ' ' || to_hex(${bits("i", 21, v)}) || ' ' || os || ' ' || to_hex(${bits("i", 22, v)})`,
      ),
    ],
  ];
  // As clients write numbers: 12.5, not 12.50.
  const price = `rtrim(rtrim((0.5 + floor(20000 * ${r(19)}) / 100)::decimal(9, 2)::varchar, '0'), '.')`;
  const amount = `case when ${paid} then ',"${v.keys.amount}":' || ${price} else '' end`;
  const json = members.map(([key, value]) => `'"${key}":' || ${value}`).join(" || ',' || ");
  const names = `case when ${r(7)} < 0.45 then ${sqlText(v.names.page)} when ${r(7)} < 0.6 then '$autocapture'
    when ${r(7)} < 0.68 then '$pageleave' when ${r(7)} < 0.75 then ${sqlText(v.names.started)}
    when ${r(7)} < 0.78 then ${sqlText(v.names.paid)} else ${pickSkewed(v.names.others, r(8))} end`;
  return `select i, event, person, make_timestamp(at_ms * 1000) as at, '{' || ${json} || ${amount} || '}' as properties,
      (lpad(lower(to_hex(at_ms)), 12, '0') || '7' || substr(random, 1, 3) || 'a' || substr(random, 4, 15))::uuid as uuid
    from (select *, ${path} as path, ${names} as event,
        ${pickSkewed(["Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet"], ofPerson(9))} as browser,
        (110 + floor(30 * pow(${ofSession(23)}, 2)))::int as version,
        ${pickSkewed(["Windows", "Mac OS X", "iOS", "Android", "Linux"], ofPerson(24))} as os,
        ${pickSkewed(["google.com", "bing.com", "duckduckgo.com", "news.ycombinator.com"], ofSession(25))} as referrer
      from (select *, floor(${v.persons} * pow(${ofSession(26)}, 2))::bigint as person,
          ${v.fromMs} + floor(i * ${spacingMs})::bigint + floor(${Math.floor(spacingMs)} * ${r(27)})::bigint as at_ms,
          lpad(to_hex(${bits("i", 28, v)}), 16, '0') || lpad(to_hex(${bits("i", 29, v)}), 16, '0') as random
        from (select range as i, (range // ${SESSION_EVENTS * CONCURRENT}) * ${CONCURRENT}
            + ${bits("range", 30, v)} % ${CONCURRENT} as session from range(${v.events}))))`;
}

const quote = (text: string): string => `'"' || ${text} || '"'`;
