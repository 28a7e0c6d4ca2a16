import { invalidQuery } from "./errors.ts";
import { integer, lengthUpTo, type Piece, piecewise, type Sql, sql, text } from "./sql.ts";

/** Checks a zone's name. Errors: TerminalError `invalid_query`. */
export function checkZone(timezone: string): void {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timezone);
  } catch {
    throw invalidQuery("timezone", `"${timezone}" is not a known time zone`);
  }
}

export function atMs(epochMs: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
}

/** A change of a zone's clock. */
interface Change {
  atMs: number;
  beforeMs: number;
  afterMs: number;
}

interface Clock {
  /** Milliseconds east of UTC before the first change. */
  startMs: number;
  changes: Change[];
  /** Whether all offsets are whole hours: the zone's hours begin where UTC's do. */
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
  let at: Temporal.ZonedDateTime | null = atMs(FIRST_MS, timezone);
  const startMs = at.offsetNanoseconds / 1e6;
  const changes: Change[] = [];
  for (let beforeMs = startMs; ; ) {
    at = at.getTimeZoneTransition("next");
    if (at === null || at.epochMilliseconds >= END_MS) break;
    const afterMs = at.offsetNanoseconds / 1e6;
    changes.push({ atMs: at.epochMilliseconds, beforeMs, afterMs });
    beforeMs = afterMs;
  }
  const hasWholeHours = [startMs, ...changes.map((change) => change.afterMs)].every((ms) => ms % 3_600_000 === 0);
  const clock = { startMs, changes, hasWholeHours };
  clocks.set(timezone, clock);
  return clock;
}

/** Whether a zone's hours begin where UTC's do. */
export function hasWholeHours(timezone: string): boolean {
  return clockOf(timezone).hasWholeHours;
}

/**
 * Local wall-clock time of a UTC timestamp. The engine's own conversion costs 30 times the arithmetic, so the zone's
 * changes are written out.
 */
export function toLocal(utc: Sql, timezone: string): Sql {
  const { startMs, changes } = clockOf(timezone);
  if (startMs === 0 && changes.length === 0) return utc;
  const slow = sql`timezone(${text(timezone)}, timezone('UTC', ${utc}))`;
  const pieces = changes.map((change) => ({ from: change.atMs, result: moved(utc, change.afterMs) }));
  return written(utc, moved(utc, startMs), pieces, slow);
}

/**
 * The UTC timestamp of a local wall-clock time. A time that a change skipped moves with it; of a time told twice the
 * first is meant.
 */
export function toUtc(local: Sql, timezone: string): Sql {
  const { startMs, changes } = clockOf(timezone);
  if (startMs === 0 && changes.length === 0) return local;
  const slow = sql`timezone('UTC', timezone(${text(timezone)}, ${local}))`;
  const pieces = changes.map(({ atMs: at, beforeMs, afterMs }) => ({
    from: at + Math.max(beforeMs, afterMs),
    result: moved(local, -afterMs),
  }));
  return written(local, moved(local, -startMs), pieces, slow);
}

/**
 * The UTC timestamp at which the local hour or day of a UTC timestamp begins. The day of a change is known beforehand;
 * between two changes there is one offset.
 */
export function startOfLocal(unit: "hour" | "day", utc: Sql, timezone: string): Sql {
  const { startMs, changes } = clockOf(timezone);
  const regular = (offsetMs: number): Sql => moved(sql`date_trunc(${text(unit)}, ${moved(utc, offsetMs)})`, -offsetMs);
  const slow = toUtc(sql`date_trunc(${text(unit)}, ${toLocal(utc, timezone)})`, timezone);
  const pieces = changes.flatMap((change): Piece[] => {
    if (unit === "hour") return [{ from: change.atMs, result: regular(change.afterMs) }];
    const day = atMs(change.atMs, timezone).startOfDay();
    const nextMs = day.add({ days: 1 }).startOfDay().epochMilliseconds;
    return [
      { from: change.atMs, result: sql`make_timestamp_ms(${integer(day.epochMilliseconds)})` },
      { from: nextMs, result: regular(change.afterMs) },
    ];
  });
  return written(utc, regular(startMs), pieces, slow);
}

function moved(timestamp: Sql, byMs: number): Sql {
  return byMs === 0 ? timestamp : sql`make_timestamp(epoch_us(${timestamp}) + ${integer(byMs * 1000)})`;
}

/** Writing the changes out repeats the timestamp for each: longer expressions go the slow way. */
const MAX_REPEATED = 60;

function written(timestamp: Sql, first: Sql, pieces: Piece[], slow: Sql): Sql {
  // A zone that never changed its clock needs no search.
  if (pieces.length === 0) return first;
  if (lengthUpTo(timestamp, MAX_REPEATED) >= MAX_REPEATED) return slow;
  const all = [{ from: 0, result: slow }, { from: FIRST_MS, result: first }, ...pieces, { from: END_MS, result: slow }];
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
