/** An instant as the clock of a zone (IANA name) shows it. */
export function atMs(epochMs: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
}
