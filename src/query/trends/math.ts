import { invalidQuery, notSupported } from "../errors.ts";
import type { EventsTable } from "../events.ts";
import type { EventsNode } from "../nodes.ts";
import { asNumber } from "../properties.ts";
import { type Sql, sql } from "../sql.ts";

/** How a series turns the events of a bucket into a number. */
export interface SeriesMath {
  /** The aggregate over the rows that meet `filter`. */
  aggregate: (filter: Sql) => Sql;
  /** Counts distinct actors: a running total counts each once, in the first bucket. */
  actor: Sql | null;
}

const distinct = (actor: Sql): SeriesMath => ({
  aggregate: (filter) => sql`count(DISTINCT ${actor}) FILTER (WHERE ${filter})`,
  actor,
});

type OfNumber = (value: Sql, filter: Sql) => Sql;

/** Maths over a numeric property. Texts that are no number are skipped. */
const OF_PROPERTY: Record<string, OfNumber> = {
  sum: (value, filter) => sql`fsum(${value}) FILTER (WHERE ${filter})`,
  avg: (value, filter) => sql`avg(${value}) FILTER (WHERE ${filter})`,
  min: (value, filter) => sql`min(${value}) FILTER (WHERE ${filter})`,
  max: (value, filter) => sql`max(${value}) FILTER (WHERE ${filter})`,
  median: (value, filter) => sql`quantile_cont(${value}, 0.5) FILTER (WHERE ${filter})`,
  p75: (value, filter) => sql`quantile_cont(${value}, 0.75) FILTER (WHERE ${filter})`,
  p90: (value, filter) => sql`quantile_cont(${value}, 0.9) FILTER (WHERE ${filter})`,
  p95: (value, filter) => sql`quantile_cont(${value}, 0.95) FILTER (WHERE ${filter})`,
  p99: (value, filter) => sql`quantile_cont(${value}, 0.99) FILTER (WHERE ${filter})`,
};

/** Properties with a meaning beyond their value. */
const SPECIAL = new Set(["$session_duration", "$time"]);

/**
 * The math of a series; `actor` tells people apart, and is asked for only where they are counted.
 * Errors: TerminalError `invalid_query` for one that is unknown or not supported yet.
 */
export function mathOf(series: EventsNode, events: EventsTable, actor: () => Sql, place: string): SeriesMath {
  const math = series.math ?? "total";
  if (math === "total") return { aggregate: (filter) => sql`count(*) FILTER (WHERE ${filter})`, actor: null };
  if (math === "dau") return distinct(actor());
  if (math === "unique_session") return distinct(sql`coalesce(${events.property("$session_id")}, '')`);
  const build = OF_PROPERTY[math];
  if (build === undefined) throw notSupported(`${place}.math`, `the math "${math}"`);
  const key = series.math_property;
  if (key == null || key === "") throw invalidQuery(`${place}.math_property`, `the math "${math}" needs a property`);
  if (series.math_property_type != null && series.math_property_type !== "event_properties") {
    throw notSupported(`${place}.math_property_type`, `"${series.math_property_type}"`);
  }
  if (SPECIAL.has(key)) throw notSupported(`${place}.math_property`, `"${key}"`);
  const value = asNumber(events.property(key));
  return { aggregate: (filter) => build(value, filter), actor: null };
}
