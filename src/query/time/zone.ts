import { atMs, DAY_MS } from "../../types/mod.ts";
import { invalidQuery } from "../shape/errors.ts";
import { type Piece, piecewise } from "../sql/piecewise.ts";
import { integer, join, later, lengthUpTo, type Sql, sql, text } from "../sql/sql.ts";

export { atMs };

/** Checks a zone's name. Errors: TerminalError `invalid_query`. */
export function checkZone(timezone: string): void {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timezone);
  } catch {
    throw invalidQuery("timezone", `"${timezone}" is not a known time zone`);
  }
}

/** Whether a day begins at an instant. */
export function isDayStart(epochMs: number, timezone: string): boolean {
  return atMs(epochMs, timezone).startOfDay().epochMilliseconds === epochMs;
}

/** A change of a zone's clock. */
interface Change {
  atMs: number;
  beforeMs: number;
  afterMs: number;
}

/** What is written out of a zone: the changes between `fromMs` and `endMs`, with no other in between. */
interface Clock {
  /** Milliseconds east of UTC before the first of `changes`. */
  startMs: number;
  changes: Change[];
  /** The change before the first and the one after the last; infinite where there is none. */
  fromMs: number;
  endMs: number;
  /** Whether all offsets since 1970 are whole hours: the zone's hours begin where UTC's do. */
  hasWholeHours: boolean;
}

/**
 * The years whose changes are written out, those of most events; times outside go the slow way and are as right.
 * Each change costs the engine 0.1 ms to plan.
 */
const THIS_YEAR = new Date().getUTCFullYear();
const FIRST_MS = Date.UTC(THIS_YEAR - 10, 0, 1);
const END_MS = Date.UTC(THIS_YEAR + 2, 0, 1);

const clocks = new Map<string, Clock>();

function clockOf(timezone: string): Clock {
  const known = clocks.get(timezone);
  if (known !== undefined) return known;
  const start = atMs(FIRST_MS, timezone);
  const clock: Clock = {
    startMs: start.offsetNanoseconds / 1e6,
    changes: [],
    fromMs: start.getTimeZoneTransition("previous")?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    endMs: Number.POSITIVE_INFINITY,
    hasWholeHours: true,
  };
  let beforeMs = clock.startMs;
  for (const change of changesSince(FIRST_MS, timezone)) {
    if (change.epochMilliseconds >= END_MS) {
      clock.endMs = change.epochMilliseconds;
      break;
    }
    const afterMs = change.offsetNanoseconds / 1e6;
    clock.changes.push({ atMs: change.epochMilliseconds, beforeMs, afterMs });
    beforeMs = afterMs;
  }
  clock.hasWholeHours = isWholeHour(atMs(0, timezone));
  for (const change of changesSince(0, timezone)) {
    if (!clock.hasWholeHours || change.epochMilliseconds >= END_MS) break;
    clock.hasWholeHours = isWholeHour(change);
  }
  clocks.set(timezone, clock);
  return clock;
}

function* changesSince(ms: number, timezone: string): Generator<Temporal.ZonedDateTime> {
  let at = atMs(ms, timezone).getTimeZoneTransition("next");
  while (at !== null) {
    yield at;
    at = at.getTimeZoneTransition("next");
  }
}

const isWholeHour = (at: Temporal.ZonedDateTime): boolean => at.offsetNanoseconds % 3.6e12 === 0;

/** Whether a zone's hours begin where UTC's do. */
export function hasWholeHours(timezone: string): boolean {
  return clockOf(timezone).hasWholeHours;
}

/**
 * Local wall-clock time of a UTC timestamp. The engine's own conversion costs 30 times the arithmetic, so the zone's
 * changes are written out.
 */
export function toLocal(utc: Sql, timezone: string): Sql {
  return once(utc, (known) => localOfUtc(known, timezone));
}

/** The same where the timestamp is known, when the statement is written, to lie in a span: no other change is looked for. */
export function toLocalWithin(
  utc: Sql,
  timezone: string,
  span: () => { fromMs: number | null; toMs: number | null },
): Sql {
  return later(() => {
    const { fromMs, toMs } = span();
    const { startMs, changes, fromMs: knownMs, endMs } = clockOf(timezone);
    if (fromMs === null || toMs === null || fromMs < knownMs || toMs >= endMs) return toLocal(utc, timezone);
    const first = changes.findLast((change) => change.atMs <= fromMs)?.afterMs ?? startMs;
    const within = changes.filter(({ atMs: at }) => at > fromMs && at <= toMs);
    return shifted(utc, [
      { from: fromMs, byMs: first },
      ...within.map(({ atMs: from, afterMs }) => ({ from, byMs: afterMs })),
    ]);
  });
}

function localOfUtc(utc: Sql, timezone: string): Sql {
  const clock = clockOf(timezone);
  const slow = sql`timezone(${text(timezone)}, timezone('UTC', ${utc}))`;
  const shifts = clock.changes.map(({ atMs: from, afterMs }) => ({ from, byMs: afterMs }));
  return written(utc, clock, shifted(utc, [{ from: clock.fromMs, byMs: clock.startMs }, ...shifts]), slow);
}

/**
 * The UTC timestamp of a local wall-clock time. A time that a change skipped moves with it; of a time told twice the
 * first is meant.
 */
export function toUtc(local: Sql, timezone: string): Sql {
  return once(local, (known) => utcOfLocal(known, timezone));
}

function utcOfLocal(local: Sql, timezone: string): Sql {
  const clock = clockOf(timezone);
  const utc = (at: Sql): Sql => sql`timezone('UTC', timezone(${text(timezone)}, ${at}))`;
  // Of a time told twice the engine means the second: the first has the offset of the day before.
  const first = sql`(${utc(sql`(${local} - INTERVAL 1 DAY)`)} + INTERVAL 1 DAY)`;
  const isTold = sql`timezone(${text(timezone)}, timezone('UTC', ${first})) = ${local}`;
  const slow = sql`CASE WHEN ${isTold} THEN ${first} ELSE ${utc(local)} END`;
  const shifts = clock.changes.map(({ atMs: at, beforeMs, afterMs }) => ({
    from: at + Math.max(beforeMs, afterMs),
    byMs: -afterMs,
  }));
  // No local time is further than a day from UTC: between the two the slow way is right too.
  const safe = { ...clock, fromMs: clock.fromMs + DAY_MS, endMs: clock.endMs - DAY_MS };
  return written(local, safe, shifted(local, [{ from: safe.fromMs, byMs: -clock.startMs }, ...shifts]), slow);
}

/**
 * The UTC timestamp at which the local hour or day of a UTC timestamp begins. The day of a change is known beforehand;
 * between two changes there is one offset.
 */
export function startOfLocal(unit: "hour" | "day", utc: Sql, timezone: string): Sql {
  return once(utc, (known) => startOfUtc(unit, known, timezone));
}

function startOfUtc(unit: "hour" | "day", utc: Sql, timezone: string): Sql {
  const clock = clockOf(timezone);
  const regular = (offsetMs: number): Sql => moved(sql`date_trunc(${text(unit)}, ${moved(utc, offsetMs)})`, -offsetMs);
  const slow = sql`timezone('UTC', timezone(${text(timezone)}, date_trunc(${text(unit)}, ${toLocal(utc, timezone)})))`;
  const pieces = clock.changes.flatMap((change): Piece[] => {
    if (unit === "hour") return [{ from: change.atMs, result: regular(change.afterMs) }];
    const day = atMs(change.atMs, timezone).startOfDay();
    const nextMs = day.add({ days: 1 }).startOfDay().epochMilliseconds;
    return [
      { from: change.atMs, result: sql`make_timestamp_ms(${integer(day.epochMilliseconds)})` },
      { from: nextMs, result: regular(change.afterMs) },
    ];
  });
  const safe = { ...clock, fromMs: clock.fromMs + 2 * DAY_MS };
  const fast = piecewise(sql`epoch_ms(${utc})`, [{ from: safe.fromMs, result: regular(clock.startMs) }, ...pieces]);
  return written(utc, safe, fast, slow);
}

/** A timestamp so many milliseconds later. */
export function moved(timestamp: Sql, byMs: number): Sql {
  return byMs === 0 ? timestamp : sql`make_timestamp(epoch_us(${timestamp}) + ${integer(byMs * 1000)})`;
}

/** Writing the changes out repeats the timestamp for each: a longer expression is bound to a name first. */
const MAX_REPEATED = 60;
const BOUND: Sql = { parts: ["local_or_utc"] };

function once(timestamp: Sql, write: (timestamp: Sql) => Sql): Sql {
  if (lengthUpTo(timestamp, MAX_REPEATED) < MAX_REPEATED) return write(timestamp);
  return sql`list_extract(list_transform([${timestamp}], lambda ${BOUND}: ${write(BOUND)}), 1)`;
}

/** From a time on, until the next one, so many milliseconds are added. */
interface Shift {
  from: number;
  byMs: number;
}

/** A timestamp moved by the last shift that begins at or before it. */
function shifted(timestamp: Sql, shifts: readonly Shift[]): Sql {
  if (shifts.length === 1) return moved(timestamp, shifts[0]!.byMs);
  const pieces = shifts.map(({ from, byMs }) => ({ from, result: integer(byMs * 1000) }));
  return sql`make_timestamp(epoch_us(${timestamp}) + ${piecewise(sql`epoch_ms(${timestamp})`, pieces)})`;
}

/** `fast` for the times that a clock covers, `slow` for the others. */
function written(timestamp: Sql, { fromMs, endMs }: Clock, fast: Sql, slow: Sql): Sql {
  const ms = sql`epoch_ms(${timestamp})`;
  const bounds = [
    ...(fromMs === Number.NEGATIVE_INFINITY ? [] : [sql`${ms} >= ${integer(fromMs)}`]),
    ...(endMs === Number.POSITIVE_INFINITY ? [] : [sql`${ms} < ${integer(endMs)}`]),
  ];
  if (bounds.length === 0) return fast;
  return sql`CASE WHEN ${join(bounds, " AND ")} THEN ${fast} ELSE ${slow} END`;
}

/** ISO 8601 with the zone's offset, `Z` for UTC; microseconds only where there are some. */
export function formatIso(at: Temporal.ZonedDateTime): string {
  const pad = (value: number, width: number): string => String(value).padStart(width, "0");
  const micros = at.millisecond * 1000 + at.microsecond;
  const fraction = micros === 0 ? "" : `.${pad(micros, 6)}`;
  const zone = at.offsetNanoseconds === 0 ? "Z" : at.offset;
  return `${at.toPlainDate().toString()}T${pad(at.hour, 2)}:${pad(at.minute, 2)}:${pad(at.second, 2)}${fraction}${zone}`;
}
