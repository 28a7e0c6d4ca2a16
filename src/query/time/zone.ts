import { atMs, DAY_MS } from "../../types/mod.ts";
import { invalidQuery } from "../shape/errors.ts";
import { type Piece, piecewise } from "../sql/piecewise.ts";
import { integer, later, lengthUpTo, type Sql, sql, text } from "../sql/sql.ts";

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
 * Each change costs the engine 0.3 ms to plan.
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
    const pieces = within.map((change) => ({ from: change.atMs, result: moved(utc, change.afterMs) }));
    return piecewise(sql`epoch_ms(${utc})`, [{ from: fromMs, result: moved(utc, first) }, ...pieces]);
  });
}

function localOfUtc(utc: Sql, timezone: string): Sql {
  const clock = clockOf(timezone);
  const slow = sql`timezone(${text(timezone)}, timezone('UTC', ${utc}))`;
  const pieces = clock.changes.map((change) => ({ from: change.atMs, result: moved(utc, change.afterMs) }));
  return written(utc, clock, [{ from: clock.fromMs, result: moved(utc, clock.startMs) }, ...pieces], slow);
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
  const pieces = clock.changes.map(({ atMs: at, beforeMs, afterMs }) => ({
    from: at + Math.max(beforeMs, afterMs),
    result: moved(local, -afterMs),
  }));
  // No local time is further than a day from UTC: between the two the slow way is right too.
  const safe = { ...clock, fromMs: clock.fromMs + DAY_MS, endMs: clock.endMs - DAY_MS };
  return written(local, safe, [{ from: safe.fromMs, result: moved(local, -clock.startMs) }, ...pieces], slow);
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
  return written(utc, safe, [{ from: safe.fromMs, result: regular(clock.startMs) }, ...pieces], slow);
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

function written(timestamp: Sql, { fromMs, endMs }: Clock, pieces: Piece[], slow: Sql): Sql {
  const isAlways = fromMs === Number.NEGATIVE_INFINITY && endMs === Number.POSITIVE_INFINITY;
  // A zone that never changed its clock needs no search.
  if (isAlways && pieces.length === 1) return pieces[0]!.result;
  const all = [...pieces];
  // The first of `piecewise` has no beginning.
  if (fromMs !== Number.NEGATIVE_INFINITY) all.unshift({ from: fromMs, result: slow });
  if (endMs !== Number.POSITIVE_INFINITY) all.push({ from: endMs, result: slow });
  return piecewise(sql`epoch_ms(${timestamp})`, all);
}

/** ISO 8601 with the zone's offset, `Z` for UTC; microseconds only where there are some. */
export function formatIso(at: Temporal.ZonedDateTime): string {
  const pad = (value: number, width: number): string => String(value).padStart(width, "0");
  const micros = at.millisecond * 1000 + at.microsecond;
  const fraction = micros === 0 ? "" : `.${pad(micros, 6)}`;
  const zone = at.offsetNanoseconds === 0 ? "Z" : at.offset;
  return `${at.toPlainDate().toString()}T${pad(at.hour, 2)}:${pad(at.minute, 2)}:${pad(at.second, 2)}${fraction}${zone}`;
}
