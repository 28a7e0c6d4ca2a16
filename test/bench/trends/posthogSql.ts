import type { ClickHouseTables } from "../clickhouse/tables.ts";

/**
 * The SQL that PostHog makes of a trend, in its steps: events to (total, bucket), those to one row a bucket, and those to
 * one array along the axis. What it does beside that without changing the answer here is left out, in ClickHouse's favour:
 * zones, the join with merged persons, samples.
 */
export interface AskedOf {
  event: string;
  /** `YYYY-MM-DD`, both within. */
  from: string;
  to: string;
  unit: "Day" | "Hour";
}

const START = "00:00:00";
const END = "23:59:59.999999";

const firstOf = ({ from }: AskedOf) => `toDateTime('${from} ${START}', 'UTC')`;
const lastOf = ({ to }: AskedOf) => `toDateTime64('${to} ${END}', 6, 'UTC')`;
const bucketOf = ({ unit }: AskedOf, time = "timestamp") => `toStartOf${unit}(${time})`;

/** Events of the range, in a WHERE. */
export function conditionOf(asked: AskedOf, t: ClickHouseTables): string {
  return `${t.ofTeam} and timestamp >= ${firstOf(asked)} and timestamp <= ${lastOf(asked)} and event = '${asked.event}'`;
}

/** The aggregate of each bucket. */
export function bucketsOf(asked: AskedOf, t: ClickHouseTables, aggregate: string, more = ""): string {
  return `select ${aggregate} as total, ${bucketOf(asked)} as day_start from ${t.events}
    where ${conditionOf(asked, t)} ${more} group by day_start`;
}

/** Actors of a bucket and the days before it: every actor's days beside every day of the axis. */
export function windowsOf(asked: AskedOf, t: ClickHouseTables, days: number): string {
  const [first, last] = [firstOf(asked), lastOf(asked)];
  const seen = `select toStartOfDay(timestamp) as at, person_id as actor from ${t.events}
    where ${t.ofTeam} and event = '${asked.event}' and timestamp >= ${first} - toIntervalDay(${days}) and timestamp <= ${last}
    group by at, actor`;
  const axis = `select toStartOfDay(${last}) - toIntervalDay(number) as day
    from numbers(dateDiff('day', ${first} - toIntervalDay(${days}), ${last}))`;
  return `select counts as total, day as day_start from (
      select d.day, count(distinct actor) as counts from (${seen}) e cross join (${axis}) d
      where e.at <= d.day and e.at > d.day - toIntervalDay(${days}) group by d.day)
    where day >= ${first} and day <= ${last}`;
}

/** Actors by the bucket of their first event, of those whose first it is. */
export function firstTimesOf(asked: AskedOf, t: ClickHouseTables): string {
  return `select count() as total, ${bucketOf(asked, "first_at")} as day_start from (
      select min(timestamp) as first_at, minIf(timestamp, timestamp >= ${firstOf(asked)}) as first_within from ${t.events}
      where ${t.ofTeam} and timestamp <= ${lastOf(asked)} and event = '${asked.event}'
      group by person_id having first_at = first_within)
    group by day_start`;
}

/** Each actor once, in the bucket in which it comes first. */
export function firstBucketsOf(asked: AskedOf, t: ClickHouseTables): string {
  return `select count(distinct person_id) as total, min(${bucketOf(asked)}) as day_start from ${t.events}
    where ${conditionOf(asked, t)} group by person_id`;
}

function axisOf(asked: AskedOf): string {
  const [first, unit] = [firstOf(asked), asked.unit];
  const length = `dateDiff('${unit}', ${first}, ${bucketOf(asked, lastOf(asked))}) + 1`;
  return `arrayMap(n -> ${first} + toInterval${unit}(n), range(0, ${length})) as axis`;
}

/** Of rows (count, day_start) the counts along the axis. */
const ARRAY = `arrayMap(at -> arraySum(arraySlice(groupArray(count), indexOf(groupArray(day_start) as days, at) as i,
  arrayLastIndex(x -> x = at, days) - i + 1)), axis)`;

/** One row: the values along the axis. `buckets`: a SELECT of (total, day_start). */
export function seriesOf(asked: AskedOf, buckets: string): string {
  return `select ${axisOf(asked)}, ${ARRAY} as total
    from (select sum(total) as count, day_start from (${buckets}) group by day_start order by day_start)`;
}

/** One row: the running sum along the axis. */
export function runningOf(asked: AskedOf, buckets: string): string {
  return `select ${axisOf(asked)}, arrayFill(x -> x > 0, ${ARRAY}) as total
    from (select day_start, sum(count) over (order by day_start) as count
      from (select sum(total) as count, day_start from (${buckets}) group by day_start))`;
}

const MISSING = "$$_posthog_breakdown_null_$$";
const OTHER = "$$_posthog_breakdown_other_$$";
const LIMIT = 25;

/** A row (value, values along the axis) for each of the largest values, and for all others. */
export function brokenDown(asked: AskedOf, t: ClickHouseTables, value: string, join = ""): string {
  const buckets = `select count() as total, ${bucketOf(asked)} as day_start,
      ifNull(nullIf(toString(${value}), ''), '${MISSING}') as value
    from ${t.events} e ${join} where e.${conditionOf(asked, t)} group by day_start, value`;
  const order = `if(value = '${OTHER}', 2, if(value = '${MISSING}', 1, 0)), arraySum(total) desc, value`;
  const arrays = `select ${axisOf(asked)}, ${ARRAY} as total, value
    from (select sum(total) as count, day_start, value from (${buckets}) group by day_start, value order by day_start, value)
    group by value order by ${order}`;
  const ranked = `select axis, total, value, rowNumberInAllBlocks() as place from (${arrays})`;
  const sum = `arrayFold((acc, x) -> arrayMap(i -> acc[i] + x[i], range(1, length(axis) + 1)), groupArray(total),
    arrayWithConstant(length(axis), reinterpretAsFloat64(0)))`;
  const folded = `select groupArray(1)(axis)[1] as axis, ${sum} as totals, if(place >= ${LIMIT}, '${OTHER}', value) as shown
    from (${ranked}) group by shown`;
  return `select shown as value, totals as total from (${folded}) order by ${order}`;
}

/** The values of a property of persons beside the events. */
export function personJoin(t: ClickHouseTables, key: string): string {
  return `left join (select id, argMax(${t.personText(key)}, version) as found from ${t.persons} where ${t.ofTeam}
    group by id having argMax(is_deleted, version) = 0) p on p.id = e.person_id`;
}
