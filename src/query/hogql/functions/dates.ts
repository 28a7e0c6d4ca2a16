import { startOfInterval } from "../../buckets.ts";
import type { Interval } from "../../dates.ts";
import { HogqlError } from "../../errors.ts";
import { integer, type Sql, sql, text } from "../../sql.ts";
import { atMs, hasWholeHours, startOfLocal, toLocal, toUtc } from "../../zone.ts";
import { asDate, asDatetime, asInt, dayValue, instantValue } from "../convert.ts";
import { describe, type IntervalUnit, typeOf, type Value, value } from "../types.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

const UNITS: readonly IntervalUnit[] = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

function unitOf(argument: Value): IntervalUnit {
  const unit = typeof argument.constant === "string" ? argument.constant.toLowerCase().replace(/s$/, "") : "";
  const known = UNITS.find((candidate) => candidate === unit);
  if (known === undefined)
    throw new HogqlError(`A unit must be one of ${UNITS.map((name) => `'${name}'`).join(", ")}.`);
  return known;
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

const isClock = (unit: IntervalUnit): boolean => unit === "second" || unit === "minute" || unit === "hour";

/** A time or day moved by an interval: days and longer are steps of the zone's calendar. Known ones are moved now. */
export function shift(
  from: Value,
  by: Value,
  sign: 1 | -1,
  call: Pick<CallContext, "timezone" | "nowMs" | "weekStartDay">,
): Value {
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
  return value(toUtc(sql`(${toLocal(base.sql, call.timezone)} + ${step})`, call.timezone), type, [from, by]);
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
function startOf(unit: IntervalUnit, from: Value, call: CallContext): Value {
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
  const local = at.type.kind === "date" ? sql`CAST(${at.sql} AS TIMESTAMP)` : toLocal(at.sql, call.timezone);
  const isSunday = unit === "week" && call.weekStartDay === 0;
  // Weeks of the engine begin on Monday.
  const start = isSunday
    ? sql`date_trunc('week', ${local} + INTERVAL 1 DAY) - INTERVAL 1 DAY`
    : sql`date_trunc(${text(unit)}, ${local})`;
  const type = typeOf(isDay ? "date" : "datetime", at.type.nullable);
  return value(isDay ? sql`CAST(${start} AS DATE)` : toUtc(start, call.timezone), type, [from]);
}

const starts = (unit: IntervalUnit): FunctionSpec =>
  special(["any", "any?"], ([from, mode], call) => {
    if (mode === undefined || unit !== "week") return startOf(unit, from!, call);
    // Mode 0 begins on Sunday, 1 and 3 on Monday.
    return startOf(unit, from!, { ...call, weekStartDay: mode.constant === 0 ? 0 : 1 });
  });

/** Start of a window of `width`, counted from 1970 in the zone's clock. */
function startOfWindow(at: Value, width: Sql, call: CallContext): Value {
  const start = sql`time_bucket(${width}, ${toLocal(at.sql, call.timezone)}, TIMESTAMP '1970-01-01')`;
  return value(toUtc(start, call.timezone), typeOf("datetime", at.type.nullable), [at]);
}

const startsOfMinutes = (minutes: number): FunctionSpec =>
  special(["time"], ([at], call) => startOfWindow(at!, AMOUNTS.minute(integer(minutes)), call));

/** `toStartOfInterval(time, interval n unit)`. */
const toStartOfInterval = special(["any", "any"], ([from, width], call) => {
  if (width!.interval === undefined) throw new HogqlError(`Expected an interval, not ${describe(width!.type)}.`);
  const { unit, amount } = width!.interval;
  if (amount.constant === 1) return startOf(unit, from!, call);
  if (!isClock(unit) && unit !== "day") throw new HogqlError(`A window of several ${unit}s is not supported yet.`);
  return startOfWindow(asDatetime(from!, call), AMOUNTS[unit](amount.sql), call);
});

/** A whole number read off the local time. */
function part(write: (local: Sql) => Sql): FunctionSpec {
  return special(["any"], ([from], call) => {
    const local = from!.type.kind === "date" ? from!.sql : toLocal(asDatetime(from!, call).sql, call.timezone);
    return value(sql`CAST(${write(local)} AS BIGINT)`, typeOf("int", asDatetime(from!, call).type.nullable), [from!]);
  });
}

/** Difference in units: `date_diff` counts boundaries crossed, `date_sub` complete units; days and longer in local time. */
function difference(write: (unit: Sql, from: Sql, to: Sql) => Sql): FunctionSpec {
  return special(["any", "time", "time"], ([unit, from, to], call) => {
    const known = unitOf(unit!);
    const [a, b] = [from!, to!].map((at) => (isClock(known) ? at.sql : toLocal(at.sql, call.timezone)));
    return value(write(text(known), a!, b!), typeOf("int", from!.type.nullable || to!.type.nullable), [from!, to!]);
  });
}

function moved(from: Value, by: Value, sign: 1 | -1, call: CallContext): Value {
  if (by.interval === undefined) throw new HogqlError(`Expected an interval, not ${describe(by.type)}.`);
  return shift(from, by, sign, call);
}

/** `dateAdd('day', 3, x)` or `dateAdd(x, interval 3 day)`. */
const dateMove = (sign: 1 | -1): FunctionSpec =>
  special(["any", "any", "any?"], ([first, second, third], call) =>
    third === undefined
      ? moved(first!, second!, sign, call)
      : shift(third, intervalOf(unitOf(first!), second!), sign, call),
  );

const capital = (unit: string): string => unit[0]!.toUpperCase() + unit.slice(1);

const byUnit = (entry: (unit: IntervalUnit) => [string, FunctionSpec][]): Record<string, FunctionSpec> =>
  Object.fromEntries(UNITS.flatMap(entry));

/** ClickHouse's format letters where they differ from the engine's. */
const FORMATS: Record<string, string> = {
  i: "M",
  M: "B",
  e: "-d",
  F: "Y-%m-%d",
  T: "H:%M:%S",
  R: "H:%M",
  h: "I",
  r: "I:%M %p",
  s: "S",
  c: "-m",
  D: "m/%d/%y",
};

function engineFormat(format: Value): string {
  if (typeof format.constant !== "string") throw new HogqlError("The format must be a string literal.");
  return format.constant.replace(/%(.)/g, (_, letter: string) => `%${FORMATS[letter] ?? letter}`);
}

export const DATES: Record<string, FunctionSpec> = {
  now: special([], (_, call) => instantValue(atMs(call.nowMs, call.timezone))),
  today: special([], (_, call) => dayValue(atMs(call.nowMs, call.timezone).toPlainDate())),
  yesterday: special([], (_, call) => dayValue(atMs(call.nowMs, call.timezone).toPlainDate().subtract({ days: 1 }))),
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
  toStartOfTenMinutes: startsOfMinutes(10),
  toStartOfFifteenMinutes: startsOfMinutes(15),
  toStartOfInterval,
  toMonday: special(["any"], ([from], call) => startOf("week", from!, { ...call, weekStartDay: 1 })),
  toLastDayOfMonth: special(["any"], ([from], call) => {
    const day = asDate(from!, call);
    return value(sql`last_day(${day.sql})`, typeOf("date", day.type.nullable), [from!]);
  }),
  dateTrunc: special(["any", "any"], ([unit, from], call) => startOf(unitOf(unit!), from!, call)),
  dateDiff: difference((unit, from, to) => sql`date_diff(${unit}, ${from}, ${to})`),
  age: difference((unit, from, to) => sql`date_sub(${unit}, ${from}, ${to})`),
  dateAdd: dateMove(1),
  dateSub: dateMove(-1),
  toYear: part((x) => sql`year(${x})`),
  toQuarter: part((x) => sql`quarter(${x})`),
  toMonth: part((x) => sql`month(${x})`),
  toDayOfMonth: part((x) => sql`day(${x})`),
  toDayOfWeek: part((x) => sql`isodow(${x})`),
  toDayOfYear: part((x) => sql`dayofyear(${x})`),
  toISOWeek: part((x) => sql`week(${x})`),
  toHour: part((x) => sql`hour(CAST(${x} AS TIMESTAMP))`),
  toMinute: part((x) => sql`minute(CAST(${x} AS TIMESTAMP))`),
  toSecond: part((x) => sql`second(CAST(${x} AS TIMESTAMP))`),
  toYYYYMM: part((x) => sql`(year(${x}) * 100 + month(${x}))`),
  toYYYYMMDD: part((x) => sql`(year(${x}) * 10000 + month(${x}) * 100 + day(${x}))`),
  toUnixTimestamp: scalar(["time"], "int", (x) => sql`(epoch_ms(${x}) // 1000)`),
  toUnixTimestamp64Milli: scalar(["time"], "int", (x) => sql`epoch_ms(${x})`),
  fromUnixTimestamp: scalar(["number"], "datetime", (x) => sql`make_timestamp(CAST(${x} * 1000000 AS BIGINT))`),
  formatDateTime: special(["time", "any"], ([at, format], call) => {
    const shown = sql`strftime(${toLocal(at!.sql, call.timezone)}, ${text(engineFormat(format!))})`;
    return value(shown, typeOf("string", at!.type.nullable), [at!]);
  }),
};
