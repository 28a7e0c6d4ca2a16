import { atMs, formatIso } from "../time/zone.ts";

/** A time between two changes of a zone's clock. */
interface Stretch {
  fromMs: number;
  /** Exclusive. */
  toMs: number;
  offsetMs: number;
  /** The offset as `formatIso` writes it. */
  suffix: string;
}

/** As the lake writes a time of four digits' years; the others are rare, and go the slow way. */
const PLAIN = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/;

/**
 * Writes times of a zone as `formatIso` does: `2021-01-01T00:00:00.000000` in UTC to `2021-01-01T01:00:00+01:00`. A date of a
 * calendar costs 2 µs, and an answer may have 300,000 times: so a stretch of one offset is asked for once.
 */
export function timeWriter(timezone: string): (utc: string) => string {
  const known: Stretch[] = [];
  let stretch: Stretch | undefined;
  return (utc) => {
    const ms = PLAIN.test(utc) ? Date.parse(`${utc.slice(0, 19)}Z`) : Number.NaN;
    if (Number.isNaN(ms)) return slowly(utc, timezone);
    if (stretch === undefined || !holds(stretch, ms)) {
      stretch = known.find((one) => holds(one, ms));
      if (stretch === undefined) {
        stretch = stretchAt(ms, timezone);
        known.push(stretch);
      }
    }
    const fraction = utc.endsWith(".000000") ? "" : utc.slice(19);
    return new Date(ms + stretch.offsetMs).toISOString().slice(0, -5) + fraction + stretch.suffix;
  };
}

const holds = ({ fromMs, toMs }: Stretch, ms: number): boolean => ms >= fromMs && ms < toMs;

function stretchAt(ms: number, timezone: string): Stretch {
  const at = atMs(ms, timezone);
  const next = at.getTimeZoneTransition("next");
  // A change at this very moment counts for it.
  const start = at.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  return {
    fromMs: start?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    toMs: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offsetMs: at.offsetNanoseconds / 1e6,
    suffix: at.offsetNanoseconds === 0 ? "Z" : at.offset,
  };
}

function slowly(utc: string, timezone: string): string {
  try {
    return formatIso(Temporal.PlainDateTime.from(utc).toZonedDateTime("UTC").withTimeZone(timezone));
  } catch {
    // Beyond the calendar (infinity): as the engine writes it.
    return utc;
  }
}
