import { EventsTable } from "../events.ts";
import { GROUP_INDEXES, Joined, PersonLookup } from "../lookups.ts";
import { integer, name, RELATION, type Sql, sql } from "../sql.ts";
import { type Column, type Fields, fieldsSource, personFields } from "./fields.ts";
import { type TimeBounds, type Type, typeOf, type Value, value } from "./types.ts";

/** What a table of FROM offers to the fields of a query. */
export interface Source {
  /** The name that qualifies its fields. */
  alias: string;
  /** Also known by this name. */
  table: string;
  /** A field by the first steps of a chain: its value and how many steps it used. Null when there is none. */
  field(chain: readonly (string | number)[]): { value: Value; used: number } | null;
  /** Columns of `*`. */
  star(): { name: string; value: Value }[];
  /** Of all its fields, for hints. */
  names(): string[];
  /** Its piece of FROM, to be made when all fields have been asked for. */
  from(): Sql;
  /** Of a table of events. */
  events?: { table: EventsTable; bounds: TimeBounds };
}

/** The tables that a project has. */
export const TABLES: readonly string[] = ["events", "persons", "person_distinct_ids", "groups"];

const text = typeOf("string");
const json: Type = { ...typeOf("string"), isJson: true };
const uuid = typeOf("uuid");
const time = typeOf("datetime");

/** Read from the properties: left out of `*`. */
const property = (key: string, nullable: boolean): Column<EventsTable> => ({
  type: typeOf("string", nullable),
  read: (e) => (nullable ? e.property(key) : sql`coalesce(${e.property(key)}, '')`),
  isVirtual: true,
});

/**
 * A personless event of someone who has become a person more than a minute before it counts as that person's own
 * (reference: capture, 3.5).
 */
function personMode(e: EventsTable): Sql {
  const isUpgraded = sql`${e.personMode()} = 1 AND ${e.column("timestamp")} > ${e.person.createdAt()} + INTERVAL 1 MINUTE`;
  return sql`CASE WHEN ${isUpgraded} THEN 'force_upgrade' WHEN ${e.personMode()} = 1 THEN 'propertyless' ELSE 'full' END`;
}

const PERSON_OF_EVENT = personFields<EventsTable>((e) => e.person);

const GROUPS_OF_EVENT = GROUP_INDEXES.map((index): [string, { fields: Fields<EventsTable> }] => [
  `group_${index}`,
  {
    fields: new Map<string, Column<EventsTable>>([
      ["index", { type: { ...typeOf("int", true), clickhouse: "UInt8" }, read: (e) => e.group(index).index() }],
      ["key", { type: typeOf("string", true), read: (e) => e.group(index).key() }],
      ["created_at", { type: typeOf("datetime", true), read: (e) => e.group(index).createdAt() }],
      [
        "properties",
        {
          type: json,
          read: (e) => sql`coalesce(${e.group(index).properties()}, '{}')`,
          property: (e, key) => e.group(index).property(key),
        },
      ],
    ]),
  },
]);

/** In the order of `*`. */
const EVENTS: Fields<EventsTable> = new Map<string, Column<EventsTable> | { fields: Fields<EventsTable> }>([
  ["uuid", { type: uuid, read: (e) => e.column("uuid") }],
  ["event", { type: text, read: (e) => e.column("event") }],
  ["properties", { type: json, read: (e) => e.column("properties") }],
  ["timestamp", { type: time, read: (e) => e.column("timestamp") }],
  ["distinct_id", { type: text, read: (e) => e.column("distinct_id") }],
  ["elements_chain", { type: text, read: (e) => e.column("elements_chain") }],
  ["created_at", { type: time, read: (e) => e.column("created_at") }],
  ["person_id", { type: uuid, read: (e) => e.personId() }],
  ["person_mode", { type: text, read: personMode }],
  ["$session_id", property("$session_id", true)],
  ["$window_id", property("$window_id", true)],
  ...GROUP_INDEXES.map((n): [string, Column<EventsTable>] => [`$group_${n}`, property(`$group_${n}`, false)]),
  ["person", { fields: PERSON_OF_EVENT }],
  [
    "pdi",
    {
      fields: new Map<string, Column<EventsTable> | { fields: Fields<EventsTable> }>([
        ["distinct_id", { type: text, read: (e) => e.column("distinct_id") }],
        ["person_id", { type: uuid, read: (e) => e.personId() }],
        ["person", { fields: PERSON_OF_EVENT }],
      ]),
    },
  ],
  ...GROUPS_OF_EVENT,
]);

/** A table with one relation of the lake, whose columns have the names that HogQL has. */
class StoredTable {
  readonly joined: Joined;
  /** Of a table with a column that holds a person's id. */
  readonly person: PersonLookup;

  constructor(
    alias: string,
    private readonly relation: Sql,
    personIdColumn: "id" | "person_id" = "id",
  ) {
    this.joined = new Joined(alias);
    this.person = new PersonLookup(this.joined, () => this.column(personIdColumn));
  }

  column(column: string): Sql {
    return sql`${this.joined.alias}.${name(column)}`;
  }

  from(): Sql {
    return this.joined.from(this.relation);
  }
}

const stored = (key: string, type: Type): [string, Column<StoredTable>] => [
  key,
  { type, read: (table) => table.column(key) },
];

const PERSONS: Fields<StoredTable> = new Map([
  stored("id", uuid),
  stored("created_at", time),
  ["properties", { type: json, read: (p) => p.column("properties"), property: (p, key) => p.person.property(key) }],
  stored("is_identified", typeOf("bool")),
]);

const PERSON_DISTINCT_IDS: Fields<StoredTable> = new Map<string, Column<StoredTable> | { fields: Fields<StoredTable> }>(
  [
    stored("distinct_id", text),
    stored("person_id", uuid),
    ["person", { fields: personFields<StoredTable>((row) => row.person) }],
  ],
);

const GROUPS: Fields<StoredTable> = new Map([
  stored("index", { ...typeOf("int"), clickhouse: "UInt8" }),
  stored("key", text),
  stored("created_at", time),
  stored("properties", json),
]);

/** Parts of PostHog's schema that are not answered yet: refused by name. */
const LATER: Record<string, ReadonlySet<string>> = {
  events: new Set(["session", "poe", ...GROUP_INDEXES.map((index) => `goe_${index}`)]),
  persons: new Set(["pdi"]),
};

/** One of `TABLES`. */
export function storedSource(table: string, alias: string, sqlAlias: string, teamId: number): Source {
  const base = { alias, table, teamId: integer(teamId), later: LATER[table] ?? new Set() };
  if (table === "events") {
    const rows = new EventsTable(sqlAlias);
    const bounds: TimeBounds = { fromMs: null, toMs: null };
    const source = fieldsSource({ ...base, fields: EVENTS, rows, timeBounds: bounds });
    return { ...source, events: { table: rows, bounds } };
  }
  const of = (fields: Fields<StoredTable>, rows: StoredTable) => fieldsSource({ ...base, fields, rows });
  if (table === "persons") return of(PERSONS, new StoredTable(sqlAlias, RELATION.persons));
  if (table === "groups") return of(GROUPS, new StoredTable(sqlAlias, RELATION.groups));
  return of(PERSON_DISTINCT_IDS, new StoredTable(sqlAlias, RELATION.distinctIds, "person_id"));
}

export interface OutputColumn {
  name: string;
  type: Type;
}

/** A subquery, a CTE or a table function: its columns are c0, c1, … */
export function derivedSource(
  alias: string,
  sqlAlias: string,
  relation: Sql,
  columns: readonly OutputColumn[],
): Source {
  const of = (index: number): Value => value(sql`${name(sqlAlias)}.${name(`c${index}`)}`, columns[index]!.type);
  return {
    alias,
    table: alias,
    field(chain) {
      const index = columns.findIndex((candidate) => candidate.name === chain[0]);
      return index < 0 ? null : { value: of(index), used: 1 };
    },
    star: () => columns.map(({ name: key }, index) => ({ name: key, value: of(index) })),
    names: () => columns.map((column) => column.name),
    from: () => sql`${relation} AS ${name(sqlAlias)}`,
  };
}

/** The right side of a LEFT JOIN: everything of it can be NULL. */
export function optional(source: Source): Source {
  const nullable = (from: Value): Value => ({ ...from, type: { ...from.type, nullable: true } });
  return {
    ...source,
    field(chain) {
      const found = source.field(chain);
      return found && { ...found, value: nullable(found.value) };
    },
    star: () => source.star().map((column) => ({ ...column, value: nullable(column.value) })),
  };
}
