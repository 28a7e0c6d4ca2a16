import { DAY_MS } from "../../../types/mod.ts";
import { HogqlError } from "../../shape/errors.ts";
import { integer, later, type Sql, sql, text } from "../../sql/sql.ts";
import { bucketIndex, bucketStart, edgesOf, startOfInterval } from "../../time/buckets.ts";
import type { Calendar, Interval, Span } from "../../time/dates.ts";
import { hasWholeHours, startOfLocal, toLocalWithin, toUtc } from "../../time/zone.ts";
import { asDatetime, asInt, localOf, timeOfDay } from "../../value/convert.ts";
import { dayValue, instantValue } from "../../value/literals.ts";
import { describe, type IntervalUnit, typeOf, type Value, value } from "../../value/types.ts";
import { type CallContext, type FunctionSpec, special } from "./spec.ts";

const UNITS: readonly IntervalUnit[] = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

export function unitOf(argument: Value): IntervalUnit {
  const unit = typeof argument.constant === "string" ? argument.constant.toLowerCase().replace(/s$/, "") : "";
  const known = UNITS.find((candidate) => candidate === unit);
  if (known === undefined)
    throw new HogqlError(`A unit must be one of ${UNITS.map((name) => `'${name}'`).join(", ")}.`);
  return known;
}

/** What is made of a time by the calendar of the zone it is shown in is shown there, too. */
function inOwnZone<C extends Calendar>(from: Value, call: C, make: (own: C) => Value): Value {
  const { zone } = from.type;
  if (zone === undefined) return make(call);
  const made = make({ ...call, timezone: zone });
  return made.type.kind === "datetime" ? { ...made, type: { ...made.type, zone } } : made;
}

/** An interval of `amount` (a whole number) units. */
export function intervalOf(unit: IntervalUnit, amount: Value): Value {
  const whole = asInt(amount);
  return {
    ...value(whole.sql, typeOf("interval", whole.type.nullable), [amount]),
    interval: { unit, amount: { ...whole, constant: amount.constant } },
  };
}

const AMOUNTS: Record<IntervalUnit, (n: Sql) => Sql> = {
  second: (n) => sql`to_seconds(${n})`,
  minute: (n) => sql`to_minutes(${n})`,
  hour: (n) => sql`to_hours(${n})`,
  day: (n) => sql`to_days(CAST(${n} AS INTEGER))`,
  week: (n) => sql`to_weeks(CAST(${n} AS INTEGER))`,
  month: (n) => sql`to_months(CAST(${n} AS INTEGER))`,
  quarter: (n) => sql`to_months(CAST(${n} * 3 AS INTEGER))`,
  year: (n) => sql`to_years(CAST(${n} AS INTEGER))`,
};

export const isClock = (unit: IntervalUnit): boolean => unit === "second" || unit === "minute" || unit === "hour";

/** A time or day moved by an interval: days and longer are steps of the zone's calendar. Known ones are moved now. */
export function shift(from: Value, by: Value, sign: 1 | -1, calendar: Calendar): Value {
  return inOwnZone(from, calendar, (own) => shiftLocal(from, by, sign, own));
}

function shiftLocal(from: Value, by: Value, sign: 1 | -1, call: Calendar): Value {
  const { unit, amount } = by.interval!;
  const base = from.type.kind === "date" && !isClock(unit) ? from : asDatetime(from, call);
  if (typeof amount.constant === "number" && Number.isInteger(amount.constant)) {
    const known = shiftKnown(base, unit, amount.constant * sign);
    if (known !== null) return known;
  }
  const step = sign === 1 ? AMOUNTS[unit](amount.sql) : sql`-${AMOUNTS[unit](amount.sql)}`;
  const type = typeOf(base.type.kind, base.type.nullable || amount.type.nullable);
  if (base.type.kind === "date") return value(sql`CAST(${base.sql} + ${step} AS DATE)`, type, [from, by]);
  if (isClock(unit)) return value(sql`(${base.sql} + ${step})`, type, [from, by]);
  return value(toUtc(sql`(${localOf(base, call)} + ${step})`, call.timezone), type, [from, by]);
}

function shiftKnown(base: Value, unit: IntervalUnit, amount: number): Value | null {
  const months = unit === "quarter" ? { months: 3 * amount } : { [`${unit}s`]: amount };
  try {
    if (base.instant !== undefined) return instantValue(base.instant.add(months));
    return base.day === undefined ? null : dayValue(base.day.add(months));
  } catch {
    throw new HogqlError("The date is out of any calendar.");
  }
}

/** Start of the unit that holds a time: a day for weeks and longer, as ClickHouse has it. */
export function startOf(unit: IntervalUnit, from: Value, call: CallContext): Value {
  const at = isClock(unit) ? from : timeOfDay(from);
  const start = inOwnZone(at, call, (own) => startOfLocalUnit(unit, at, own));
  const { bounds } = from;
  return bounds === undefined || from.type.zone !== undefined ? start : startWithin(bounds, unit, at, start, call);
}

const UNIT_MS: Record<IntervalUnit, number> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
  quarter: 90 * DAY_MS,
  year: 365 * DAY_MS,
};

/** The unit's starts that were grouped by, of the time of a table. */
const grouped = new WeakMap<Span, Set<string>>();
const MAX_BUCKETS = 5000;

/** The start of a unit where the time is known to lie in a span: its buckets are numbered, and those numbers grouped by. */
function startWithin(bounds: Span, unit: IntervalUnit, at: Value, start: Value, call: CallContext): Value {
  const place = `${unit} ${call.weekStartDay}`;
  let edges: number[] | null | undefined;
  const known = (): number[] | null => {
    const { fromMs, toMs } = bounds;
    edges ??= fromMs === null || toMs === null || toMs < fromMs ? null : edgesOf(fromMs, toMs, unit, call, MAX_BUCKETS);
    return edges;
  };
  const read = at.sql;
  const number = later(() => (known() === null ? start.sql : bucketIndex(read, { edgesMs: known()! })));
  const numbered = (): Sql => {
    const time = bucketStart(number, { edgesMs: known()! });
    if (start.type.kind !== "date") return time;
    const span = { fromMs: known()![0]!, toMs: known()!.at(-1)! };
    return sql`CAST(${toLocalWithin(time, call.timezone, () => span)} AS DATE)`;
  };
  const isGrouped = () => grouped.get(bounds)?.has(place) === true && known() !== null;
  return {
    ...value(
      later(() => (isGrouped() ? numbered() : start.sql)),
      start.type,
      [at],
    ),
    rising: { of: read, shown: (of) => startOfLocalUnit(unit, value(of, at.type), call).sql },
    groupKey: () => {
      if (!grouped.has(bounds)) grouped.set(bounds, new Set());
      grouped.get(bounds)!.add(place);
      return number;
    },
    valuesMax: () => unitsIn(bounds, unit),
  };
}

/** A span touches at most so many of a unit; a day of an hour less is one more in twenty-four. */
function unitsIn({ fromMs, toMs }: Span, unit: IntervalUnit): number {
  if (fromMs === null || toMs === null) return Number.MAX_SAFE_INTEGER;
  return Math.ceil(((toMs - fromMs) / UNIT_MS[unit]) * (24 / 23)) + 2;
}

function startOfLocalUnit(unit: IntervalUnit, from: Value, call: CallContext): Value {
  const isDay = !isClock(unit) && unit !== "day";
  const at = from.type.kind === "date" && isDay ? from : asDatetime(from, call);
  if (at.instant !== undefined && (unit === "hour" || unit === "day" || unit === "week" || unit === "month")) {
    const start = startOfInterval(at.instant, unit satisfies Interval, call.weekStartDay);
    return isDay ? dayValue(start.toPlainDate()) : instantValue(start);
  }
  // A clock set back tells an hour twice; in UTC the two stay apart.
  if (unit === "second" || unit === "minute" || (unit === "hour" && hasWholeHours(call.timezone))) {
    return value(sql`date_trunc(${text(unit)}, ${at.sql})`, typeOf("datetime", at.type.nullable), [from]);
  }
  if (unit === "hour" || unit === "day") {
    return value(startOfLocal(unit, at.sql, call.timezone), typeOf("datetime", at.type.nullable), [from]);
  }
  const local = at.type.kind === "date" ? sql`CAST(${at.sql} AS TIMESTAMP)` : localOf(at, call);
  const start =
    unit === "week" ? startOfWeek(local, call.weekStartDay === 1) : sql`date_trunc(${text(unit)}, ${local})`;
  const type = typeOf(isDay ? "date" : "datetime", at.type.nullable);
  return value(isDay ? sql`CAST(${start} AS DATE)` : toUtc(start, call.timezone), type, [from]);
}

/** The first day of a local time's week: a TIMESTAMP. */
export function startOfWeek(local: Sql, isMonday: boolean): Sql {
  return isMonday
    ? sql`date_trunc('week', ${local})`
    : sql`(date_trunc('week', ${local} + INTERVAL 1 DAY) - INTERVAL 1 DAY)`;
}

const starts = (unit: IntervalUnit): FunctionSpec =>
  special(["any", "any?"], ([from, mode], call) => {
    if (mode === undefined || unit !== "week") return startOf(unit, from!, call);
    // An even mode begins on Sunday, an odd one on Monday.
    return startOf(unit, from!, { ...call, weekStartDay: Number(mode.constant) % 2 === 0 ? 0 : 1 });
  });

/** Start of a window of minutes or seconds, counted from 1970 in UTC: what a clock set back tells twice stays apart. */
function startOfClockWindow(at: Value, width: Sql): Value {
  const start = sql`time_bucket(${width}, ${at.sql}, TIMESTAMP '1970-01-01')`;
  return value(start, at.type, [at]);
}

/** Start of a window in the zone's clock: of days counted from 1970, of hours from the beginning of each day. */
function startOfLocalWindow(unit: "hour" | "day", from: Value, amount: Sql, given: CallContext): Value {
  return inOwnZone(from, given, (call) => {
    const local = localOf(from, call);
    const origin = unit === "day" ? sql`TIMESTAMP '1970-01-01'` : sql`date_trunc('day', ${local})`;
    const start = sql`time_bucket(${AMOUNTS[unit](amount)}, ${local}, ${origin})`;
    return value(toUtc(start, call.timezone), typeOf("datetime", from.type.nullable), [from]);
  });
}

const startsOfMinutes = (minutes: number): FunctionSpec =>
  special(["time"], ([at]) => startOfClockWindow(at!, AMOUNTS.minute(integer(minutes))));

/** `toStartOfInterval(time, interval n unit)`; weeks begin on Monday, whatever the project says. */
const toStartOfInterval = special(["any", "any"], ([from, width], call) => {
  if (width!.interval === undefined) throw new HogqlError(`Expected an interval, not ${describe(width!.type)}.`);
  const { unit, amount } = width!.interval;
  if (amount.constant === 1) return startOf(unit, from!, { ...call, weekStartDay: 1 });
  const at = asDatetime(from!, call);
  if (unit === "second" || unit === "minute") return startOfClockWindow(at, AMOUNTS[unit](amount.sql));
  if (unit === "hour" || unit === "day") return startOfLocalWindow(unit, at, amount.sql, call);
  const local = localOf(at, call);
  // Weeks count from a Monday, months from 1900, years from 0, as in ClickHouse.
  const origin = unit === "week" ? sql`TIMESTAMP '1970-01-05'` : sql`TIMESTAMP '1900-01-01'`;
  const start =
    unit === "year"
      ? sql`make_date(year(${local}) // ${amount.sql} * ${amount.sql}, 1, 1)`
      : sql`time_bucket(${AMOUNTS[unit](amount.sql)}, ${local}, ${origin})`;
  return value(sql`CAST(${start} AS DATE)`, typeOf("date", at.type.nullable), [from!]);
});

function moved(from: Value, by: Value, sign: 1 | -1, call: CallContext): Value {
  if (by.interval === undefined) throw new HogqlError(`Expected an interval, not ${describe(by.type)}.`);
  return shift(from, by, sign, call);
}

/** `dateAdd('day', 3, x)` or `dateAdd(x, interval 3 day)`. */
export const dateMove = (sign: 1 | -1): FunctionSpec =>
  special(["any", "any", "any?"], ([first, second, third], call) =>
    third === undefined
      ? moved(first!, second!, sign, call)
      : shift(third, intervalOf(unitOf(first!), second!), sign, call),
  );

const capital = (unit: string): string => unit[0]!.toUpperCase() + unit.slice(1);

const byUnit = (entry: (unit: IntervalUnit) => [string, FunctionSpec][]): Record<string, FunctionSpec> =>
  Object.fromEntries(UNITS.flatMap(entry));

/** Starts of units, intervals, and moves by them. */
export const DATES: Record<string, FunctionSpec> = {
  ...byUnit((unit) => [
    [`toStartOf${capital(unit)}`, starts(unit)],
    [`toInterval${capital(unit)}`, special(["any"], ([amount]) => intervalOf(unit, amount!))],
    [`add${capital(unit)}s`, special(["any", "any"], ([from, n], call) => shift(from!, intervalOf(unit, n!), 1, call))],
    [
      `subtract${capital(unit)}s`,
      special(["any", "any"], ([from, n], call) => shift(from!, intervalOf(unit, n!), -1, call)),
    ],
  ]),
  toStartOfFiveMinutes: startsOfMinutes(5),
  toStartOfFiveMinute: startsOfMinutes(5),
  toStartOfTenMinutes: startsOfMinutes(10),
  toStartOfFifteenMinutes: startsOfMinutes(15),
  toStartOfInterval,
  toMonday: special(["any"], ([from], call) => startOf("week", from!, { ...call, weekStartDay: 1 })),
  toStartOfISOYear: special(["any"], ([from], call) => {
    const local = localOf(asDatetime(from!, call), call);
    const start = sql`date_trunc('week', make_date(isoyear(${local}), 1, 4))`;
    return value(sql`CAST(${start} AS DATE)`, typeOf("date", from!.type.nullable), [from!]);
  }),
};
