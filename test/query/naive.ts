import type { TestEvent, TestGroup, TestPerson } from "../support/memoryLake.ts";

/**
 * A trends evaluator of plain loops over events, written from the reference and sharing no code with the engine:
 * local time comes from `Intl`, ranges are compared as local texts.
 */
export interface NaiveQuery {
  series: { event: string | null; math: "total" | "dau"; properties: NaiveFilter[] }[];
  interval: "hour" | "day" | "week" | "month";
  /** Local `YYYY-MM-DD`, both within. */
  fromDay: string;
  toDay: string;
  properties: NaiveFilter[];
  isCumulative: boolean;
}

/** Who is who, and what is known of them now. */
export interface NaiveWorld {
  persons: TestPerson[];
  groups: TestGroup[];
}

export interface NaiveFilter {
  /** Of the event where absent. */
  type?: "event" | "person" | "group";
  group_type_index?: number;
  key: string;
  operator: string;
  value: string | number | (string | number)[];
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Local `YYYY-MM-DD HH:MM:SS`. */
export function localText(ms: number, timezone: string): string {
  let formatter = formatters.get(timezone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    formatters.set(timezone, formatter);
  }
  const parts = Object.fromEntries(formatter.formatToParts(ms).map((part) => [part.type, part.value]));
  return `${parts.year!.padStart(4, "0")}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}`;
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10);
}

/** The bucket that a local time belongs to, by name. */
function bucketOf(local: string, interval: NaiveQuery["interval"], weekStartDay: 0 | 1): string {
  const day = local.slice(0, 10);
  if (interval === "hour") return `${local.slice(0, 13)}:00:00`;
  if (interval === "month") return `${day.slice(0, 7)}-01`;
  if (interval === "day") return day;
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday - weekStartDay + 7) % 7));
}

/** Names of all buckets in order: those of every quarter of an hour in the range. */
function bucketsOf(query: NaiveQuery, timezone: string, weekStartDay: 0 | 1): string[] {
  const start = Date.parse(`${query.fromDay}T00:00:00Z`) - 86_400_000;
  const end = Date.parse(`${query.toDay}T00:00:00Z`) + 2 * 86_400_000;
  const names: string[] = [];
  for (let ms = start; ms < end; ms += 900_000) {
    const local = localText(ms, timezone);
    if (!inRange(local, query)) continue;
    const name = bucketOf(local, query.interval, weekStartDay);
    if (!names.includes(name)) names.push(name);
  }
  return names;
}

const inRange = (local: string, query: NaiveQuery): boolean =>
  local.slice(0, 10) >= query.fromDay && local.slice(0, 10) <= query.toDay;

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function personOf(event: TestEvent, world: NaiveWorld): TestPerson | undefined {
  return world.persons.find((person) => person.distinctIds.includes(event.distinctId));
}

function propertiesOf(event: TestEvent, filter: NaiveFilter, world: NaiveWorld): Record<string, unknown> {
  const own = event.properties as Record<string, unknown>;
  if (filter.type === "person") return personOf(event, world)?.properties ?? {};
  if (filter.type !== "group") return own;
  const index = filter.group_type_index!;
  const isOfEvent = (group: TestGroup) => group.index === index && group.key === own[`$group_${index}`];
  return world.groups.find(isOfEvent)?.properties ?? {};
}

function passes(event: TestEvent, filter: NaiveFilter, world: NaiveWorld): boolean {
  const text = textOf(propertiesOf(event, filter, world)[filter.key]);
  const list = Array.isArray(filter.value) ? filter.value : [filter.value];
  const number = text === null || text.trim() === "" ? Number.NaN : Number(text);
  const any = (test: (value: string | number) => boolean): boolean => text !== null && list.some(test);
  const same = (value: string | number): boolean => (typeof value === "number" ? number === value : text === value);
  const holds = (value: string | number): boolean => text!.toLowerCase().includes(String(value).toLowerCase());
  switch (filter.operator) {
    case "exact":
      return any(same);
    case "is_not":
      return !any(same);
    case "gt":
      return any((value) => number > Number(value));
    case "gte":
      return any((value) => number >= Number(value));
    case "lt":
      return any((value) => number < Number(value));
    case "lte":
      return any((value) => number <= Number(value));
    case "is_set":
      return text !== null;
    case "is_not_set":
      return text === null;
    case "icontains":
      return any(holds);
    case "not_icontains":
      return !any(holds);
    default:
      throw new Error(filter.operator);
  }
}

/** For each series, a number for each bucket by name. */
export function evaluate(
  events: readonly TestEvent[],
  world: NaiveWorld,
  query: NaiveQuery,
  timezone: string,
  weekStartDay: 0 | 1,
): Map<string, number>[] {
  const names = bucketsOf(query, timezone, weekStartDay);
  return query.series.map((series) => {
    const counted = new Map(names.map((name) => [name, [] as string[]]));
    for (const event of events) {
      const local = localText(event.timestampMs, timezone);
      if (!inRange(local, query)) continue;
      if (series.event !== null && series.event !== event.event) continue;
      if (![...query.properties, ...series.properties].every((filter) => passes(event, filter, world))) continue;
      counted
        .get(bucketOf(local, query.interval, weekStartDay))!
        .push(personOf(event, world)?.distinctIds[0] ?? event.distinctId);
    }
    const numbers = new Map<string, number>();
    const seen = new Set<string>();
    let sum = 0;
    for (const [name, people] of counted) {
      const isNew = (person: string): boolean => !query.isCumulative || !seen.has(person);
      const value = series.math === "total" ? people.length : new Set(people.filter(isNew)).size;
      for (const person of people) seen.add(person);
      sum += value;
      numbers.set(name, query.isCumulative ? sum : value);
    }
    return numbers;
  });
}
