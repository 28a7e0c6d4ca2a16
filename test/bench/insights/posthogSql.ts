import { DAY_MS } from "../../../src/types/mod.ts";
import type { ClickHouseTables } from "../clickhouse/tables.ts";
import { sqlText } from "../dataset/sqlText.ts";

// What PostHog would run, in ClickHouse's own functions for it where these count the same: without zones, samples and the join
// with merged persons, in ClickHouse's favour.

interface Range {
  /** `YYYY-MM-DD`, both within. */
  date_from: string;
  date_to: string;
}

const within = ({ date_from, date_to }: Range): string =>
  `timestamp >= toDateTime('${date_from} 00:00:00', 'UTC') and timestamp <= toDateTime64('${date_to} 23:59:59.999999', 6, 'UTC')`;

interface FunnelAsked extends Range {
  steps: readonly string[];
  more?: string;
}

const WINDOW_US = 14 * DAY_MS * 1000;

const depth = (steps: readonly string[]): string =>
  `windowFunnel(${WINDOW_US})(toUInt64(toUnixTimestamp64Micro(timestamp)), ${steps.map((name) => `event = ${sqlText(name)}`).join(", ")})`;

const reached = (steps: readonly string[]): string => steps.map((_, i) => `countIf(l >= ${i + 1}) as c${i}`).join(", ");

const eventsOf = (t: ClickHouseTables, { steps, more, ...range }: FunnelAsked): string =>
  `${t.events} where ${t.ofTeam} and event in (${steps.map(sqlText).join(", ")}) and ${within(range)}${more === undefined ? "" : ` and ${more}`}`;

export const funnelOf = (t: ClickHouseTables, asked: FunnelAsked): string =>
  `select ${reached(asked.steps)} from (select ${depth(asked.steps)} as l from ${eventsOf(t, asked)} group by person_id)`;

/** How many values of a breakdown are told apart. */
const SHOWN_VALUES = 25;

/**
 * A row for each value of the first event that has one, in their order: those with most conversions, and all others as
 * `other`.
 */
export function brokenFunnelOf(
  t: ClickHouseTables,
  { value, other, ...asked }: FunnelAsked & { value: string; other: string },
): string {
  const counts = asked.steps.map((_, i) => `c${i}`);
  const rank = counts.toReversed().map((count) => `${count} desc`);
  return `select if(place <= ${SHOWN_VALUES}, v, ${sqlText(other)}) as shown, ${counts.map((count) => `sum(${count})`).join(", ")} from (
     select v, ${counts.join(", ")}, row_number() over (order by ${rank.join(", ")}, v) as place from (
       select v, ${reached(asked.steps)} from (
         select person_id, argMinIf(ifNull(${value}, ''), timestamp, isNotNull(${value})) as v, ${depth(asked.steps)} as l
         from ${eventsOf(t, asked)} group by person_id)
       where l >= 1 group by v))
   group by shown order by shown`;
}

interface RetentionAsked {
  event: string;
  period: "Day" | "Week";
  intervals: number;
  untilMs: number;
}

/** Rows of `seen`, the numbers of the intervals in which a person did it (with a `value`), in lists. */
function intervalsSeen(
  t: ClickHouseTables,
  { event, period, intervals, untilMs }: RetentionAsked,
  value?: string,
): string {
  const startOf = (at: string) => `toStartOf${period}(${at}${period === "Week" ? ", 0" : ""})`;
  const last = startOf(`toDateTime(${untilMs / 1000 - 1}, 'UTC')`);
  const first = `${last} - toInterval${period}(${intervals - 1})`;
  const number = `dateDiff('${period.toLowerCase()}', ${first}, ${startOf("timestamp")})`;
  const [column, key] = value === undefined ? ["", ""] : [`ifNull(${value}, '') as v, `, ", v"];
  return `select ${column}groupUniqArray(${number}) as seen from ${t.events}
    where ${t.ofTeam} and event = ${sqlText(event)} and timestamp >= toDateTime(${first}, 'UTC') and timestamp < toDateTime(${untilMs / 1000}, 'UTC')
    group by person_id${key}`;
}

const inEach = (intervals: number) =>
  `arrayMap(k -> counts.2[indexOf(counts.1, k)], range(toUInt64(${intervals} - c)))`;

/** A row for each interval: of the persons who did it then, how many did it in it and in each interval after it. */
export const retentionOf = (t: ClickHouseTables, asked: RetentionAsked): string =>
  `select ${inEach(asked.intervals)} from (
     select c, sumMap([r - c], [1]) as counts from (${intervalsSeen(t, asked)})
     array join seen as c array join seen as r where r >= c group by c) order by c`;

/** The same for each value and interval with persons, in their order: the values with most persons, and all others as `other`. */
export const brokenRetentionOf = (
  t: ClickHouseTables,
  { value, other, ...asked }: RetentionAsked & { value: string; other: string },
): string =>
  `select shown, c, ${inEach(asked.intervals)} from (
     select if(place <= ${SHOWN_VALUES}, v, ${sqlText(other)}) as shown, c, sumMap(ofValue.1, ofValue.2) as counts from (
       select v, c, ofValue, dense_rank() over (order by total desc, v) as place from (
         select v, c, ofValue, sum(ofValue.2[indexOf(ofValue.1, 0)]) over (partition by v) as total from (
           select v, c, sumMap([r - c], [1]) as ofValue from (${intervalsSeen(t, asked, value)})
           array join seen as c array join seen as r where r >= c group by v, c)))
     group by shown, c) order by shown, c`;

/** One row: how many persons did it on 1, 2, … days. */
export const activeDaysOf = (t: ClickHouseTables, asked: Range & { event: string; days: number }): string =>
  `select arrayMap(n -> counts.2[indexOf(counts.1, n)], range(1, ${asked.days} + 1)) from (
     select sumMap([days], [1]) as counts from (
       select uniqExact(toStartOfDay(timestamp)) as days from ${t.events}
       where ${t.ofTeam} and event = ${sqlText(asked.event)} and ${within(asked)} group by person_id))`;

/**
 * Four rows: new, returning, resurrecting and dormant by day. All persons of a data set were made at one time, which stands here
 * instead of a join with the persons, in ClickHouse's favour.
 */
export function lifecycleOf(t: ClickHouseTables, asked: Range & { event: string; madeMs: number }): string {
  const from = `toDateTime('${asked.date_from}', 'UTC')`;
  const to = `toDateTime('${asked.date_to}', 'UTC')`;
  const made = `toStartOfDay(toDateTime(${asked.madeMs / 1000}, 'UTC'))`;
  const active = `if(day = ${made}, 'new', if(i > 1 and days[i - 1] = day - 86400, 'returning', 'resurrecting'))`;
  const status = (name: string) => `countIf(s.2 = '${name}')`;
  const counted = `select s.1 as day, [${["new", "returning", "resurrecting"].map(status).join(", ")}, -${status("dormant")}] as counts from (
      select arrayJoin(arrayConcat(
        arrayMap((day, i) -> (day, ${active}), days, arrayEnumerate(days)),
        arrayMap(day -> (day + 86400, 'dormant'), arrayFilter(day -> not has(days, day + 86400), days)))) as s
      from (
        select arraySort(groupUniqArray(toStartOfDay(timestamp))) as days from ${t.events}
        where ${t.ofTeam} and event = ${sqlText(asked.event)} and timestamp >= ${from} - 86400 and timestamp < ${to} + 86400
        group by person_id))
    where s.1 >= ${from} and s.1 <= ${to} group by day`;
  return `select arrayMap(day -> row[indexOf(days, day)], arrayMap(n -> ${from} + n * 86400, range(toUInt64((${to} - ${from}) / 86400 + 1)))) from (
      select groupArray(day) as days, groupArray(counts) as all from (${counted}))
    array join [1, 2, 3, 4] as i, [arrayMap(c -> c[1], all), arrayMap(c -> c[2], all), arrayMap(c -> c[3], all), arrayMap(c -> c[4], all)] as row`;
}

interface PathsAsked extends Range {
  /** What a step is, and which events are some. */
  item: string;
  condition: string;
  stepLimit: number;
  edgeLimit: number;
}

/** Edges within sessions of 30 minutes: source, target, how many, and the mean of the times in ms. */
export const pathsOf = (t: ClickHouseTables, { item, condition, stepLimit, edgeLimit, ...range }: PathsAsked): string =>
  `select source, target, count() as value, avg(ms) from (
     select edge.1 as source, edge.2 as target, edge.3 as ms from (
       select arrayJoin(arraySplit((e, i) -> i > 1 and e.1 - events[i - 1].1 >= 1800000, events, arrayEnumerate(events))) as session,
         arrayFilter((e, i) -> i = length(session) or e.2 != session[i + 1].2, session, arrayEnumerate(session)) as run,
         arraySlice(run, 1, ${stepLimit}) as path,
         arrayJoin(arrayMap(i -> (concat(toString(i), '_', path[i].2), concat(toString(i + 1), '_', path[i + 1].2), path[i + 1].1 - path[i].1),
           range(1, length(path)))) as edge
       from (
         select arraySort(groupArray((toUnixTimestamp64Milli(timestamp), ${item}))) as events from ${t.events}
         where ${t.ofTeam} and ${within(range)} and ${condition} group by person_id)))
   group by source, target order by value desc, source, target limit ${edgeLimit}`;

/** What a list of events shows of one person's newest ones. */
export const newestOf = (t: ClickHouseTables, { personId, limit }: { personId: string; limit: number }): string =>
  `select ${t.listed} from ${t.events} where ${t.ofTeam} and person_id = ${sqlText(personId)} order by timestamp desc limit ${limit}`;
