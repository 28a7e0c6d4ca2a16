import { HogqlError } from "../../shape/errors.ts";
import { integer, type Sql, sql, text } from "../../sql/sql.ts";
import { atMs, moved } from "../../time/zone.ts";
import { asDate, asDatetime, localOf } from "../../value/convert.ts";
import { dayValue, instantValue } from "../../value/literals.ts";
import { type IntervalUnit, type Type, typeOf, type Value, value } from "../../value/types.ts";
import { bound } from "./bound.ts";
import { dateMove, isClock, startOf, startOfWeek, unitOf } from "./dates.ts";
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

/** The mode of a week's functions, a literal from 0 to 9. */
function modeOf(mode: Value | undefined): number {
  const known = mode?.constant ?? 0;
  if (typeof known === "number" && Number.isInteger(known) && known >= 0 && known <= 9) return known;
  throw new HogqlError("The mode of a week must be a whole number from 0 to 9.");
}

/** What a mode (ClickHouse's, which are MySQL's) says of weeks. */
function weekMode(mode: number): { isMonday: boolean; ofYear: boolean; owner: Sql } {
  const isMonday = mode % 2 === 1;
  // Which day of a week says whose year it is: the first, the fourth, or the last (the week of 1 January is week 1).
  const byFirst = isMonday === (mode & 4) > 0;
  const owner = mode >= 8 ? sql`6` : byFirst ? sql`0` : sql`3`;
  return { isMonday, ofYear: mode >= 8 || (mode & 2) > 0, owner };
}

/** The day that a week belongs to the year of; `local` is a day or a local time. */
function ownerOf(local: Sql, { isMonday, owner }: ReturnType<typeof weekMode>): Sql {
  return sql`(CAST(${startOfWeek(sql`CAST(${local} AS TIMESTAMP)`, isMonday)} AS DATE) + ${owner})`;
}

/** The number of a week: of the year that it belongs to, or (0 to 53) of the day's own. */
const toWeek = special(["any", "any?"], ([from, mode], call) => {
  const week = weekMode(modeOf(mode));
  const written = bound(wallClock(from!, call), call, (local) => {
    const owner = ownerOf(local, week);
    if (week.ofYear) return sql`CAST((dayofyear(${owner}) - 1) // 7 + 1 AS BIGINT)`;
    const days = sql`date_diff('day', date_trunc('year', CAST(${local} AS TIMESTAMP)), ${owner})`;
    return sql`CAST((${days} + 7) // 7 AS BIGINT)`;
  });
  return value(written, typeOf("int", asDatetime(from!, call).type.nullable), [from!]);
});

/** The year that a week belongs to, and its number there: 202453. */
const toYearWeek = special(["any", "any?"], ([from, mode], call) => {
  const week = weekMode(modeOf(mode));
  const written = bound(ownerOf(wallClock(from!, call), week), call, (owner) => {
    return sql`CAST(year(${owner}) * 100 + (dayofyear(${owner}) - 1) // 7 + 1 AS BIGINT)`;
  });
  const type: Type = { ...typeOf("int", asDatetime(from!, call).type.nullable), clickhouse: "UInt32" };
  return value(written, type, [from!]);
});

const toLastDayOfWeek = special(["any", "any?"], ([from, mode], call) => {
  const start = startOf("week", from!, { ...call, weekStartDay: modeOf(mode) % 2 === 1 ? 1 : 0 });
  return value(sql`(${start.sql} + 6)`, typeOf("date", start.type.nullable), [from!]);
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

/** Two times in local time, or for hours and less in UTC: what is made of them. */
function between(write: (unit: IntervalUnit, from: Sql, to: Sql, call: CallContext) => Sql): FunctionSpec {
  const taken = special(["any", "any", "any"], ([unit, from, to], call) => {
    const known = unitOf(unit!);
    if (known === "day" && from!.type.kind === "date" && to!.type.kind === "date") {
      const nullable = from!.type.nullable || to!.type.nullable;
      return value(sql`(${to!.sql} - ${from!.sql})`, typeOf("int", nullable), [from!, to!]);
    }
    const [a, b] = [from!, to!].map((given) => {
      // A day is local time already; as an instant its text would stand in each rule of the zone.
      if (!isClock(known) && given.type.kind === "date") return sql`CAST(${given.sql} AS TIMESTAMP)`;
      const at = asDatetime(given, call);
      return isClock(known) ? at.sql : localOf(at, call);
    });
    const type = typeOf("int", from!.type.nullable || to!.type.nullable);
    return value(write(known, a!, b!, call), type, [from!, to!]);
  });
  return { ...taken, takes: ["any", "time", "time"] };
}

/** How many boundaries of the unit lie between; weeks begin on Monday. */
const dateDiff = between((unit, from, to, call) => {
  if (unit === "week") {
    const [a, b] = [from, to].map((at) => sql`date_trunc('week', ${at})`);
    return sql`(date_diff('day', ${a!}, ${b!}) // 7)`;
  }
  // Hours of zones beside the whole hours begin where the zone had them in 1970, as in ClickHouse.
  const shiftMs = unit === "hour" ? atMs(0, call.timezone).offsetNanoseconds / 1e6 : 0;
  const [a, b] = [from, to].map((at) => moved(at, shiftMs));
  return sql`date_diff(${text(unit)}, ${a!}, ${b!})`;
});

const MONTHS: Partial<Record<IntervalUnit, number>> = { month: 1, quarter: 3, year: 12 };

/** How many whole units lie between. */
const age = between((unit, from, to, call) => {
  const months = MONTHS[unit];
  if (months === undefined) return sql`date_sub(${text(unit)}, ${from}, ${to})`;
  return bound(sql`struct_pack(a := ${from}, b := ${to})`, call, (pair) => {
    const [a, b] = [sql`struct_extract(${pair}, 'a')`, sql`struct_extract(${pair}, 'b')`];
    const rest = (at: Sql): Sql => sql`(epoch_us(${at}) - epoch_us(date_trunc('month', ${at})))`;
    const isShort = sql`CASE WHEN ${b} >= ${a} AND ${rest(b)} < ${rest(a)} THEN 1 WHEN ${b} < ${a} AND ${rest(b)} > ${rest(a)} THEN -1 ELSE 0 END`;
    return sql`((date_diff('month', ${a}, ${b}) - ${isShort}) // ${integer(months)})`;
  });
});

/** Weeks begin on Monday here, whatever the project says. */
const dateTrunc = special(["any", "any"], ([unit, from], call) =>
  startOf(unitOf(unit!), from!, { ...call, weekStartDay: 1 }),
);
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

const digits = (write: (local: Sql) => Sql) => (local: Sql) => sql`CAST(${write(local)} AS VARCHAR)`;

/** The parts that `dateName` tells. */
const NAMED_PARTS: Record<string, (local: Sql) => Sql> = {
  year: digits((x) => sql`year(${x})`),
  quarter: digits((x) => sql`quarter(${x})`),
  month: (x) => sql`monthname(${x})`,
  dayofyear: digits((x) => sql`dayofyear(${x})`),
  day: digits((x) => sql`day(${x})`),
  week: digits((x) => sql`week(${x})`),
  weekday: (x) => sql`dayname(${x})`,
  hour: digits((x) => sql`hour(${x})`),
  minute: digits((x) => sql`minute(${x})`),
  second: digits((x) => sql`second(${x})`),
};

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
  age,
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
  toYearWeek,
  toLastDayOfWeek,
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
    const wanted = typeof unit!.constant === "string" ? unit!.constant.toLowerCase() : "";
    const write = Object.hasOwn(NAMED_PARTS, wanted) ? NAMED_PARTS[wanted]! : null;
    if (write === null) throw new HogqlError(`A part must be one of ${Object.keys(NAMED_PARTS).join(", ")}.`);
    const local = sql`CAST(${wallClock(from!, call)} AS TIMESTAMP)`;
    return value(write(local), typeOf("string", asDatetime(from!, call).type.nullable), [from!]);
  }),
  formatDateTime,
  parseDateTime,
  parseDateTimeOrNull: parseDateTime,
};
