import { join, type Sql, sql, TRUE, text } from "../sql/sql.ts";
import { parseAbsolute } from "../time/dates.ts";
import { toUtc } from "../time/zone.ts";
import { once } from "./once.ts";

// Texts that tell a time, as ClickHouse's parseDateTime64BestEffort reads them: one list of forms for literals, which are read
// here, and for columns, which the engine reads.

/** Other forms of a date brought to `2024-2-29` or `2024-Feb-29`, one after the other. */
const REWRITES: readonly [pattern: string, result: string][] = [
  ["^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +", ""],
  ["^([0-9]{1,2})[ -]([A-Za-z]{3})[a-z]*[ ,-]+([0-9]{4})", "\\3-\\2-\\1"],
  ["^([A-Za-z]{3})[a-z]* +([0-9]{1,2}),? +([0-9]{4})", "\\3-\\1-\\2"],
  // The month first only where it cannot be the day.
  ["^(0?[1-9]|1[0-2])[/.-](1[3-9]|2[0-9]|3[01])[/.-]([0-9]{4})", "\\3-\\1-\\2"],
  ["^([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4})", "\\3-\\2-\\1"],
  ["^([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})", "\\1-\\2-\\3"],
  ["^([0-9]{4})([0-9]{2})([0-9]{2})T?([0-9]{2})([0-9]{2})([0-9]{2})", "\\1-\\2-\\3 \\4:\\5:\\6"],
  ["^([0-9]{4})([0-9]{2})([0-9]{2})$", "\\1-\\2-\\3"],
  ["^([0-9]{4})$", "\\1-1-1"],
];

const CLOCK = "(?:[T ,]+([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:[.,]([0-9]+))?)?)?";
const FORM = `^([0-9]{4})-([A-Za-z]{3}|[0-9]{1,2})-([0-9]{1,2})${CLOCK} ?([AaPp]?)[Mm]? ?(Z|z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)?$`;
const GROUPS = ["year", "month", "day", "hour", "minute", "second", "fraction", "half", "zone"] as const;

/** Seconds, milliseconds and microseconds since 1970, by how many digits there are. */
const SECONDS = "^[0-9]{9,10}([.][0-9]+)?$";
const UNITS: readonly [pattern: string, micros: number][] = [
  ["^[0-9]{13}$", 1000],
  ["^[0-9]{16}$", 1],
];

const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

/** A literal; without an offset it is local to the zone. Null where it is no time. */
export function parseTime(written: string, timezone: string): Temporal.ZonedDateTime | null {
  const trimmed = written.trim();
  const at = (micros: number) => new Temporal.ZonedDateTime(BigInt(Math.round(micros)) * 1000n, timezone);
  if (new RegExp(SECONDS).test(trimmed)) return at(Number(trimmed) * 1e6);
  for (const [pattern, micros] of UNITS) if (new RegExp(pattern).test(trimmed)) return at(Number(trimmed) * micros);
  const canonical = REWRITES.reduce(
    (known, [pattern, result]) => known.replace(new RegExp(pattern), result.replaceAll("\\", "$")),
    trimmed,
  );
  const match = new RegExp(FORM).exec(canonical);
  if (match === null) return parseAbsolute(trimmed, timezone);
  const [, year, name, day, hour = "0", minute = "0", second = "0", fraction = "", half, zone = ""] = match;
  const month = /^[0-9]/.test(name!) ? Number(name) : (MONTHS.indexOf(name!.toLowerCase()) + 3) / 3;
  if (!Number.isInteger(month) || month < 1) return null;
  const hours = (Number(hour) % (half ? 12 : 24)) + (/^p/i.test(half ?? "") ? 12 : 0);
  if (Number(hour) > 23) return null;
  const clock = `${[hours, minute, second].map((part) => two(Number(part))).join(":")}${fraction === "" ? "" : `.${fraction.slice(0, 6)}`}`;
  return parseAbsolute(
    `${year}-${month}-${day} ${clock}${/^[+-]/.test(zone) ? zone : zone === "" ? "" : "Z"}`,
    timezone,
  );
}

const two = (digits: number): string => String(digits).padStart(2, "0");

/** A column: a TIMESTAMP in UTC, NULL where the text is no time. */
export function timeOfText(column: Sql, timezone: string): Sql {
  const parsed = once(column, "time_text", (given) => {
    const hasOffset = sql`(regexp_matches(${given}, '([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)$') AND contains(${given}, ':'))`;
    const zoned = sql`timezone('UTC', TRY_CAST(${given} AS TIMESTAMPTZ))`;
    const iso = sql`CASE WHEN ${hasOffset} THEN ${zoned} ELSE TRY_CAST(${given} AS TIMESTAMP) END`;
    // ISO 8601, which nearly all are, needs none of the forms.
    return once(iso, "time_iso", (at) => {
      return sql`CASE WHEN ${at} IS NOT NULL THEN ${read(at, hasOffset)} ELSE ${otherForm(given)} END`;
    });
  });
  return once(parsed, "time_read", (known) => {
    return sql`CASE WHEN struct_extract(${known}, 'utc') THEN struct_extract(${known}, 't') ELSE ${toUtc(sql`struct_extract(${known}, 't')`, timezone)} END`;
  });
}

/** A time that was read, and whether it is in UTC or local. */
const read = (at: Sql, isUtc: Sql): Sql => sql`struct_pack(t := ${at}, utc := ${isUtc})`;

function otherForm(given: Sql): Sql {
  const since = (micros: number): Sql => {
    const number = sql`CAST(trim(${given}) AS DOUBLE) * ${{ parts: [String(micros)] }}`;
    return read(sql`make_timestamp(CAST(round(${number}) AS BIGINT))`, TRUE);
  };
  const matches = (pattern: string): Sql => sql`regexp_matches(trim(${given}), ${text(pattern)})`;
  const units = UNITS.map(([pattern, micros]) => sql`WHEN ${matches(pattern)} THEN ${since(micros)}`);
  const canonical = REWRITES.reduce(
    (known, [pattern, result]) => sql`regexp_replace(${known}, ${text(pattern)}, ${text(result)})`,
    sql`trim(${given})`,
  );
  const groups: Sql = { parts: [`['${GROUPS.join("', '")}']`] };
  const pattern: Sql = { parts: [`'${FORM}'`] };
  const formed = once(sql`regexp_extract(${canonical}, ${pattern}, ${groups})`, "time_parts", timeOfParts);
  return sql`CASE WHEN ${matches(SECONDS)} THEN ${since(1_000_000)} ${join(units, " ")} ELSE ${formed} END`;
}

/** The time of a STRUCT of texts named as `GROUPS`. */
function timeOfParts(parts: Sql): Sql {
  const part = (name: (typeof GROUPS)[number]): Sql => sql`struct_extract(${parts}, ${{ parts: [`'${name}'`] }})`;
  const or = (name: (typeof GROUPS)[number], none: Sql): Sql => sql`coalesce(nullif(${part(name)}, ''), ${none})`;
  const place = sql`instr(${text(MONTHS)}, lower(${part("month")}))`;
  const named = sql`CASE WHEN ${place} % 3 = 1 THEN (${place} + 2) // 3 END`;
  const month = sql`coalesce(TRY_CAST(${part("month")} AS BIGINT), ${named})`;
  const given = sql`CAST(${or("hour", sql`'0'`)} AS BIGINT)`;
  const afternoon = sql`CASE WHEN lower(${part("half")}) = 'p' THEN 12 ELSE 0 END`;
  const hour = sql`CASE WHEN ${part("half")} = '' OR ${given} > 23 THEN ${given} ELSE ${given} % 12 + ${afternoon} END`;
  const clock = sql`${hour} || ':' || ${or("minute", sql`'00'`)} || ':' || ${or("second", sql`'00'`)} || '.' || ${or("fraction", sql`'0'`)}`;
  const local = sql`TRY_CAST(${part("year")} || '-' || ${month} || '-' || ${part("day")} || ' ' || ${clock} AS TIMESTAMP)`;
  const digits = sql`rpad(regexp_replace(${part("zone")}, '[^0-9]', '', 'g'), 4, '0')`;
  const minutes = sql`(CAST(left(${digits}, 2) AS BIGINT) * 60 + CAST(right(${digits}, 2) AS BIGINT))`;
  const east = sql`CASE left(${part("zone")}, 1) WHEN '+' THEN ${minutes} WHEN '-' THEN -${minutes} ELSE 0 END`;
  return read(sql`${local} - to_minutes(${east})`, sql`(${part("zone")} <> '')`);
}
