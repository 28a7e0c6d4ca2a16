import type { Model } from "../../model.ts";

/** How the lines of a model become rows of a table. */
export interface Table {
  /** Columns with their types, in order. */
  columns: Readonly<Record<string, string>>;
  /** A row is known again by these. */
  key: readonly string[];
  /** Members of a line, with the types that they are read as. */
  line: Readonly<Record<string, string>>;
  /** A SELECT of the columns from lines `r`; `$2` is the project's id. */
  rows: string;
  /** What stands behind ON CONFLICT. */
  onConflict(table: string): string;
}

/**
 * PostHog's table. Its uuid alone is no key: events of other names, ids or days may have the same one. All that differs in Weir differs
 * here.
 */
const EVENTS: Table = {
  columns: {
    uuid: "text",
    event: "text",
    properties: "jsonb",
    elements: "jsonb",
    set: "jsonb",
    set_once: "jsonb",
    distinct_id: "text",
    team_id: "bigint",
    ip: "text",
    site_url: "text",
    timestamp: "timestamptz",
  },
  key: ["team_id", "uuid", "event", "distinct_id", "timestamp"],
  line: {
    uuid: "text",
    event: "text",
    properties: "jsonb",
    elements_chain: "text",
    distinct_id: "text",
    timestamp: "timestamptz",
  },
  rows: `select uuid, event, properties, to_jsonb(nullif(elements_chain, '')), properties -> '$set', properties -> '$set_once',
    distinct_id, $2::bigint, properties ->> '$ip', '', "timestamp" from r`,
  // Any key that the table has tells copies.
  onConflict: () => "do nothing",
};

/** A row a distinct_id; a newer version replaces an older one, never the other way round. */
const PERSONS: Table = {
  columns: {
    team_id: "bigint",
    distinct_id: "text",
    person_id: "text",
    properties: "jsonb",
    person_distinct_id_version: "bigint",
    person_version: "bigint",
    created_at: "timestamptz",
  },
  key: ["team_id", "distinct_id"],
  line: {
    distinct_id: "text",
    person_id: "text",
    properties: "jsonb",
    person_distinct_id_version: "bigint",
    person_version: "bigint",
    created_at: "timestamptz",
  },
  rows: `select distinct on (distinct_id) $2::bigint, distinct_id, person_id, properties, person_distinct_id_version, person_version,
    created_at from r order by distinct_id, person_distinct_id_version desc, person_version desc`,
  onConflict: (
    table,
  ) => `(team_id, distinct_id) do update set person_id = excluded.person_id, properties = excluded.properties,
    person_distinct_id_version = excluded.person_distinct_id_version, person_version = excluded.person_version,
    created_at = excluded.created_at
    where (excluded.person_distinct_id_version, excluded.person_version)
      > (${table}.person_distinct_id_version, ${table}.person_version)`,
};

export const TABLES: Partial<Record<Model, Table>> = { events: EVENTS, persons: PERSONS };
