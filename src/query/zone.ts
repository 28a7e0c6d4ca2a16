import { invalidQuery } from "./errors.ts";
import { integer, type Sql, sql, text } from "./sql.ts";

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

const fixedOffsets = new Map<string, number | null>();

/** Seconds east of UTC of a zone that has not changed its clock since 1970; null for the others. */
function fixedOffsetSeconds(timezone: string): number | null {
  const known = fixedOffsets.get(timezone);
  if (known !== undefined) return known;
  const start = atMs(0, timezone);
  const offset = start.getTimeZoneTransition("next") === null ? start.offsetNanoseconds / 1e9 : null;
  fixedOffsets.set(timezone, offset);
  return offset;
}

const wholeHours = new Map<string, boolean>();

/** Whether a zone's offsets have all been whole hours since 1970: its hours begin where UTC's do. */
export function hasWholeHours(timezone: string): boolean {
  const known = wholeHours.get(timezone);
  if (known !== undefined) return known;
  let at: Temporal.ZonedDateTime | null = atMs(0, timezone);
  let isWhole = true;
  while (at !== null && isWhole && at.year < 2100) {
    isWhole = at.offsetNanoseconds % 3.6e12 === 0;
    at = at.getTimeZoneTransition("next");
  }
  wholeHours.set(timezone, isWhole);
  return isWhole;
}

/** Local wall-clock time of a UTC timestamp. ICU costs 29 times as much, so only where the clock changes. */
export function toLocal(utc: Sql, timezone: string): Sql {
  const offset = fixedOffsetSeconds(timezone);
  if (offset === 0) return utc;
  if (offset !== null) return sql`(${utc} + to_seconds(${integer(offset)}))`;
  return sql`timezone(${text(timezone)}, timezone('UTC', ${utc}))`;
}

/** The UTC timestamp of a local wall-clock time. */
export function toUtc(local: Sql, timezone: string): Sql {
  const offset = fixedOffsetSeconds(timezone);
  if (offset === 0) return local;
  if (offset !== null) return sql`(${local} - to_seconds(${integer(offset)}))`;
  return sql`timezone('UTC', timezone(${text(timezone)}, ${local}))`;
}

/** ISO 8601 with the zone's offset, `Z` for UTC; microseconds only where there are some. */
export function formatIso(at: Temporal.ZonedDateTime): string {
  const pad = (value: number, width: number): string => String(value).padStart(width, "0");
  const micros = at.millisecond * 1000 + at.microsecond;
  const fraction = micros === 0 ? "" : `.${pad(micros, 6)}`;
  const zone = at.offsetNanoseconds === 0 ? "Z" : at.offset;
  return `${at.toPlainDate().toString()}T${pad(at.hour, 2)}:${pad(at.minute, 2)}:${pad(at.second, 2)}${fraction}${zone}`;
}
