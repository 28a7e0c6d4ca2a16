import { integer, type Sql, sql, text } from "../../sql.ts";
import { atMs } from "../../zone.ts";
import { asDate, asDatetime, localOf } from "../convert.ts";
import { dayValue, instantValue } from "../literals.ts";
import { type Type, typeOf, type Value, value } from "../types.ts";
import { dateMove, isClock, startOf, unitOf } from "./dates.ts";
import { formatDateTime, parseDateTime } from "./formats.ts";
import { type CallContext, type FunctionSpec, scalar, special } from "./spec.ts";

/** What is read off the local time, as a whole number. */
function part(write: (local: Sql) => Sql, name?: string): FunctionSpec {
  return special(["any"], ([from], call) => {
    const type: Type = { ...typeOf("int", asDatetime(from!, call).type.nullable), ...(name && { clickhouse: name }) };
    return value(sql`CAST(${write(wallClock(from!, call))} AS BIGINT)`, type, [from!]);
  });
}

/** A day, or the local time of an instant. */
function wallClock(from: Value, call: CallContext): Sql {
  return from.type.kind === "date" ? from.sql : localOf(asDatetime(from, call), call);
}

/** A week's number as the mode counts it: 0 and 2 from Sunday on, 1 and 3 from Monday on. */
function weekOf(local: Sql, mode: number): Sql {
  if (mode === 3) return sql`week(${local})`;
  const format = mode === 0 || mode === 2 ? sql`'%U'` : sql`'%W'`;
  return sql`CAST(strftime(${local}, ${format}) AS BIGINT)`;
}

const toWeek = special(["any", "any?"], ([from, mode], call) => {
  const written = weekOf(sql`CAST(${wallClock(from!, call)} AS TIMESTAMP)`, Number(mode?.constant ?? 0));
  return value(written, typeOf("int", from!.type.nullable), [from!]);
});

/** 1 is Monday; with mode 1 Monday is 0, with 2 Sunday is 0, with 3 Sunday is 1. */
const toDayOfWeek = special(["any", "any?"], ([from, mode], call) => {
  const local = wallClock(from!, call);
  const days = [
    sql`isodow(${local})`,
    sql`isodow(${local}) - 1`,
    sql`dayofweek(${local})`,
    sql`dayofweek(${local}) + 1`,
  ];
  const written = days[Number(mode?.constant ?? 0)] ?? days[0]!;
  return value(sql`CAST(${written} AS BIGINT)`, typeOf("int", from!.type.nullable), [from!]);
});

/** Difference in units: `date_diff` counts boundaries crossed, `date_sub` complete units; days and longer in local time. */
function difference(write: (unit: Sql, from: Sql, to: Sql) => Sql): FunctionSpec {
  return special(["any", "time", "time"], ([unit, from, to], call) => {
    const known = unitOf(unit!);
    const [a, b] = [from!, to!].map((at) => (isClock(known) ? at.sql : localOf(at, call)));
    return value(write(text(known), a!, b!), typeOf("int", from!.type.nullable || to!.type.nullable), [from!, to!]);
  });
}

const dateDiff = difference((unit, from, to) => sql`date_diff(${unit}, ${from}, ${to})`);
const dateTrunc = special(["any", "any"], ([unit, from], call) => startOf(unitOf(unit!), from!, call));
const today = (days: number): FunctionSpec =>
  special([], (_, call) => dayValue(atMs(call.nowMs, call.timezone).toPlainDate().add({ days })));
const now: FunctionSpec = special([], (_, call) => instantValue(atMs(call.nowMs, call.timezone)));

const epoch = (write: (x: Sql) => Sql): FunctionSpec => scalar(["time"], "int", write);
const fromEpoch = (micros: number): FunctionSpec =>
  scalar(["number"], "datetime", (x) => sql`make_timestamp(CAST(${x} * ${integer(micros)} AS BIGINT))`);

const makeDate = scalar(["int", "int", "int"], "date", (y, m, d) => sql`TRY(make_date(${y}, ${m}, ${d}))`, true);
const makeDateTime = special(["int", "int", "int", "int", "int", "int"], (args, call) => {
  const [y, m, d, h, min, s] = args.map((argument) => argument.sql);
  const local = value(
    sql`strftime(TRY(make_timestamp(${y!}, ${m!}, ${d!}, ${h!}, ${min!}, CAST(${s!} AS DOUBLE))), '%Y-%m-%d %H:%M:%S')`,
    typeOf("string", true),
    args,
  );
  return asDatetime(local, call);
});

/** When a version 7 UUID was made. */
const uuidTime = scalar(
  ["text"],
  "datetime",
  (x) => sql`make_timestamp_ms(CAST('0x' || replace(left(${x}, 13), '-', '') AS BIGINT))`,
);

const dateName = (write: (local: Sql) => Sql): FunctionSpec =>
  special(["any"], ([from], call) =>
    value(write(wallClock(from!, call)), typeOf("string", from!.type.nullable), [from!]),
  );

/** Parts of times, the time now, and conversions to and from numbers; all of it in the zone's clock. */
export const CALENDAR: Record<string, FunctionSpec> = {
  now,
  now64: { ...now, max: 2 },
  today: today(0),
  curdate: today(0),
  current_date: today(0),
  yesterday: today(-1),
  dateTrunc,
  date_trunc: dateTrunc,
  dateDiff,
  date_diff: dateDiff,
  age: difference((unit, from, to) => sql`date_sub(${unit}, ${from}, ${to})`),
  dateAdd: dateMove(1),
  date_add: dateMove(1),
  dateSub: dateMove(-1),
  date_sub: dateMove(-1),
  toYear: part((x) => sql`year(${x})`, "UInt16"),
  toQuarter: part((x) => sql`quarter(${x})`, "UInt8"),
  toMonth: part((x) => sql`month(${x})`, "UInt8"),
  toDayOfMonth: part((x) => sql`day(${x})`, "UInt8"),
  toDayOfWeek,
  toDayOfYear: part((x) => sql`dayofyear(${x})`, "UInt16"),
  toISOWeek: part((x) => sql`week(${x})`, "UInt8"),
  toISOYear: part((x) => sql`isoyear(${x})`, "UInt16"),
  toWeek,
  toYearWeek: part((x) => sql`(year(${x}) * 100 + CAST(strftime(${x}, '%U') AS BIGINT))`, "UInt32"),
  toHour: part((x) => sql`hour(CAST(${x} AS TIMESTAMP))`, "UInt8"),
  toMinute: part((x) => sql`minute(CAST(${x} AS TIMESTAMP))`, "UInt8"),
  toSecond: part((x) => sql`second(CAST(${x} AS TIMESTAMP))`, "UInt8"),
  toMillisecond: part((x) => sql`(millisecond(CAST(${x} AS TIMESTAMP)) % 1000)`, "UInt16"),
  toYYYYMM: part((x) => sql`(year(${x}) * 100 + month(${x}))`, "UInt32"),
  toYYYYMMDD: part((x) => sql`(year(${x}) * 10000 + month(${x}) * 100 + day(${x}))`, "UInt32"),
  toYYYYMMDDhhmmss: part((x) => sql`CAST(strftime(${x}, '%Y%m%d%H%M%S') AS BIGINT)`, "UInt64"),
  toLastDayOfMonth: special(["any"], ([from], call) => {
    const day = asDate(from!, call);
    return value(sql`last_day(${day.sql})`, typeOf("date", day.type.nullable), [from!]);
  }),
  toUnixTimestamp: epoch((x) => sql`(epoch_ms(${x}) // 1000)`),
  toUnixTimestamp64Milli: epoch((x) => sql`epoch_ms(${x})`),
  toUnixTimestamp64Micro: epoch((x) => sql`epoch_us(${x})`),
  fromUnixTimestamp: fromEpoch(1_000_000),
  fromUnixTimestamp64Milli: fromEpoch(1000),
  fromUnixTimestamp64Micro: fromEpoch(1),
  makeDate,
  makeDateTime,
  UUIDv7ToDateTime: uuidTime,
  monthName: dateName((x) => sql`monthname(${x})`),
  dayName: dateName((x) => sql`dayname(${x})`),
  dateName: special(["any", "any"], ([unit, from], call) => {
    const names: Record<string, Sql> = {
      year: sql`'%Y'`,
      month: sql`'%B'`,
      day: sql`'%-d'`,
      hour: sql`'%-H'`,
      minute: sql`'%-M'`,
      second: sql`'%-S'`,
    };
    const known = unit!.constant === "weekday" ? sql`'%A'` : names[unitOf(unit!)];
    const format = known ?? sql`'%-W'`;
    return value(sql`strftime(${wallClock(from!, call)}, ${format})`, typeOf("string", from!.type.nullable), [from!]);
  }),
  formatDateTime,
  parseDateTime,
  parseDateTimeOrNull: parseDateTime,
};
