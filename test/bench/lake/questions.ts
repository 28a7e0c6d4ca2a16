import { DAY_MS } from "../../../src/types/mod.ts";
import type { ClickHouseTables } from "../clickhouse/tables.ts";
import { sqlText } from "../dataset/sqlText.ts";
import { busyPersonId, untilMs, type Vocabulary } from "../dataset/vocabulary.ts";

/** What DuckDB reads, in one engine's way: each gives the text of a parenthesised SELECT. */
export interface Tables {
  /**
   * The plain columns; each key as `k<i>` (text) and `n<i>` (number); with `properties` the whole JSON text; of the `times`
   * that a SELECT gives.
   */
  events(o: { keys?: readonly string[]; properties?: boolean; times?: string }): string;
  /** The events as who asks for whole days of UTC reads them; with `anyEvent` without their names. */
  activity(o: { anyEvent: boolean; persons: boolean }): string;
  /** An aggregate over `activity`: how many events. */
  countEvents: string;
  /** An aggregate over `activity({persons: true})`: distinct persons, in at most so many groups. */
  countPersons(groups: number): string;
  /** What tells persons apart there, where it stands in FROM as `e`. */
  who: string;
  /** `person_id`, `value` (text): who has a property of persons. */
  personProperty(key: string): string;
}

/** A question as each engine is asked it. Rows come in one order, times as epoch milliseconds. */
export interface Question {
  /** Of the events that count, in epoch milliseconds. */
  range: { fromMs: number; toMs: number };
  duckdb(tables: Tables): string;
  clickhouse(tables: ClickHouseTables): string;
}

const WEEKS = 13;
const FUNNEL_DAYS = 14;
const NEWEST = 100;

export function questions(v: Vocabulary): Record<string, Question> {
  const { page, started, paid } = v.names;
  const all = { fromMs: v.fromMs, toMs: untilMs(v) - 1 };
  const month = { fromMs: v.fromMs + 30 * DAY_MS, toMs: v.fromMs + 60 * DAY_MS - 1 };
  const first = `'${new Date(v.fromMs).toISOString().slice(0, 10)}'`;
  const day = `("timestamp"::date - date ${first})`;
  const week = `(${day} // 7)`;
  const chDay = `(toDate(timestamp) - toDate(${first}))`;
  const chWeek = `intDiv(${chDay}, 7)`;
  const ofMonth = `"timestamp" >= make_timestamp(${month.fromMs} * 1000) and "timestamp" <= make_timestamp(${month.toMs} * 1000)`;
  const chOfMonth = `timestamp >= fromUnixTimestamp64Milli(${month.fromMs}) and timestamp <= fromUnixTimestamp64Milli(${month.toMs})`;
  const steps = `(${[page, started, paid].map(sqlText).join(", ")})`;
  const windowUs = FUNNEL_DAYS * DAY_MS * 1000;
  const busyId = sqlText(busyPersonId(v));
  return {
    "daily trend of one event": {
      range: month,
      duckdb: (t) =>
        `select ${day} as d, ${t.countEvents} from ${t.activity({ anyEvent: false, persons: false })}
         where event = ${sqlText(started)} and ${ofMonth} group by d order by d`,
      clickhouse: (t) =>
        `select ${chDay} as d, count() from ${t.events} where ${t.ofTeam} and event = ${sqlText(started)} and ${chOfMonth} group by d order by d`,
    },
    "weekly active persons": {
      range: all,
      duckdb: (t) =>
        `select ${week} as w, ${t.countPersons(WEEKS)} from ${t.activity({ anyEvent: true, persons: true })}
         group by w order by w`,
      clickhouse: (t) =>
        `select ${chWeek} as w, count(distinct person_id) from ${t.events} where ${t.ofTeam} group by w order by w`,
    },
    "daily active persons": {
      range: all,
      duckdb: (t) =>
        `select ${day} as d, ${t.countPersons(v.days)} from ${t.activity({ anyEvent: true, persons: true })}
         group by d order by d`,
      clickhouse: (t) =>
        `select ${chDay} as d, count(distinct person_id) from ${t.events} where ${t.ofTeam} group by d order by d`,
    },
    "breakdown by browser": {
      range: all,
      duckdb: (t) =>
        `select k0, count(*) as n from ${t.events({ keys: ["$browser"] })} where event = ${sqlText(page)}
         group by k0 order by n desc, k0 limit 25`,
      clickhouse: (t) =>
        `select ${t.text("$browser")} as b, count() as n from ${t.events} where ${t.ofTeam} and event = ${sqlText(page)}
         group by b order by n desc, b limit 25`,
    },
    "sum of a number with a filter": {
      range: all,
      duckdb: (t) =>
        `select sum(n0), count(*) from ${t.events({ keys: [v.keys.amount] })} where event = ${sqlText(paid)} and n0 > 50`,
      clickhouse: (t) =>
        `select sum(${t.number(v.keys.amount)}), count() from ${t.events}
         where ${t.ofTeam} and event = ${sqlText(paid)} and ${t.number(v.keys.amount)} > 50`,
    },
    "funnel of three steps": {
      range: all,
      duckdb: (t) => {
        const step = (name: string) =>
          `(select person_id as p, epoch_us("timestamp") as t from ${t.events({})} where event = ${sqlText(name)})`;
        return `with second as materialized (
            select b.p, b.t, a.t as started from ${step(started)} b asof join ${step(page)} a on b.p = a.p and b.t >= a.t
            where b.t <= a.t + ${windowUs}),
          third as (
            select c.p from ${step(paid)} c asof join second b on c.p = b.p and c.t >= b.t where c.t <= b.started + ${windowUs})
          select (select count(distinct p) from ${step(page)}), (select count(distinct p) from second),
            (select count(distinct p) from third)`;
      },
      clickhouse: (t) =>
        `select countIf(l >= 1), countIf(l >= 2), countIf(l >= 3) from (
           select windowFunnel(${windowUs})(toUInt64(toUnixTimestamp64Micro(timestamp)), event = ${sqlText(page)},
             event = ${sqlText(started)}, event = ${sqlText(paid)}) as l
           from ${t.events} where ${t.ofTeam} and event in ${steps} group by person_id)`,
    },
    "weekly retention": {
      range: all,
      duckdb: (t) =>
        `with weeks as (select bit_or(1::bigint << (${week})::int) as b from ${t.activity({ anyEvent: false, persons: true })} e
           where event = ${sqlText(page)} group by ${t.who}),
         masks as (select b, count(*) as n from weeks group by b),
         cohorts as (select list_min(list_filter(range(${WEEKS}), lambda w: (b >> w) & 1 = 1)) as c, b, n from masks)
         select c, w - c as k, sum(n)::bigint from cohorts, range(${WEEKS}) r(w) where (b >> w) & 1 = 1 group by c, k order by c, k`,
      clickhouse: (t) =>
        `select c, arrayJoin(ws) - c as k, count() from (
           select person_id, groupUniqArray(${chWeek}) as ws, arrayMin(ws) as c
           from ${t.events} where ${t.ofTeam} and event = ${sqlText(page)} group by person_id)
         group by c, k order by c, k`,
    },
    "filter and breakdown by persons' properties": {
      range: all,
      duckdb: (t) =>
        `select tier.value as v, count(*) from ${t.events({})} e
         join ${t.personProperty(v.tier)} tier on tier.person_id = e.person_id
         where event = ${sqlText(page)}
           and e.person_id in (select person_id from ${t.personProperty("$geoip_country_code")} where value = 'DE')
         group by v order by v`,
      clickhouse: (t) =>
        `select p.tier as v, count() from ${t.events} e
         left join (select id, argMax(${t.personText(v.tier)}, version) as tier,
             argMax(${t.personText("$geoip_country_code")}, version) as country
           from ${t.persons} where ${t.ofTeam} group by id having argMax(is_deleted, version) = 0) p on p.id = e.person_id
         where e.${t.ofTeam} and event = ${sqlText(page)} and p.country = 'DE' group by v order by v`,
    },
    "newest hundred events": {
      range: all,
      duckdb: (t) => listing(t, { condition: "true", order: `"timestamp" desc`, limit: `limit ${NEWEST}` }),
      clickhouse: (t) =>
        `select ${t.listed} from ${t.events} where ${t.ofTeam} order by timestamp desc limit ${NEWEST}`,
    },
    "all events of one person": {
      range: all,
      duckdb: (t) => listing(t, { condition: `person_id = ${busyId}::uuid`, order: `"timestamp"`, limit: "" }),
      clickhouse: (t) =>
        `select ${t.listed} from ${t.events} where ${t.ofTeam} and person_id = ${busyId} order by timestamp`,
    },
  };
}

/** In two steps: the times of the rows, then the rows. */
function listing(t: Tables, { condition, order, limit }: { condition: string; order: string; limit: string }): string {
  const rows = `where ${condition} order by ${order} ${limit}`;
  return `with times as materialized (select "timestamp" from ${t.events({})} ${rows})
    select uuid, event, distinct_id, person_id, epoch_ms("timestamp"), properties
    from ${t.events({ properties: true, times: `select "timestamp" from times` })} ${rows}`;
}
