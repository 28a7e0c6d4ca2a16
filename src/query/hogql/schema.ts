import { EventsTable } from "../events.ts";
import { GROUP_INDEXES, type GroupLookup, Joined, PersonLookup } from "../lookups.ts";
import { integer, name, RELATION, type Sql, sql } from "../sql.ts";
import { type Column, type Fields, fieldsOf, fieldsSource } from "./fields.ts";
import type { Source } from "./source.ts";
import { type TimeBounds, type Type, typeOf } from "./types.ts";

/** The tables that a project has. */
export const TABLES: readonly string[] = ["events", "persons", "person_distinct_ids", "groups"];

const STRING = typeOf("string");
const JSON_TEXT: Type = { ...STRING, isJson: true };
const UUID = typeOf("uuid");
const TIME = typeOf("datetime");
const GROUP_INDEX: Type = { ...typeOf("int"), clickhouse: "UInt8" };

const optional = (type: Type): Type => ({ ...type, nullable: true });

/** The person of each row; without a person row all but its id is NULL, its properties are none. */
const personFields = <T>(person: (rows: T) => PersonLookup): Fields<T> =>
  fieldsOf({
    id: { type: UUID, read: (rows) => person(rows).id() },
    created_at: { type: optional(TIME), read: (rows) => person(rows).createdAt() },
    properties: {
      type: JSON_TEXT,
      read: (rows) => sql`coalesce(${person(rows).properties()}, '{}')`,
      property: (rows, key) => person(rows).property(key),
    },
    is_identified: { type: optional(typeOf("bool")), read: (rows) => person(rows).isIdentified() },
  });

const groupFields = <T>(group: (rows: T) => GroupLookup): Fields<T> =>
  fieldsOf({
    index: { type: optional(GROUP_INDEX), read: (rows) => group(rows).index() },
    key: { type: optional(STRING), read: (rows) => group(rows).key() },
    created_at: { type: optional(TIME), read: (rows) => group(rows).createdAt() },
    properties: {
      type: JSON_TEXT,
      read: (rows) => sql`coalesce(${group(rows).properties()}, '{}')`,
      property: (rows, key) => group(rows).property(key),
    },
  });

/**
 * A personless event of someone who has become a person more than a minute before it counts as that person's own
 * (reference: capture, 3.5).
 */
function personMode(e: EventsTable): Sql {
  const isUpgraded = sql`${e.personMode()} = 1 AND ${e.column("timestamp")} > ${e.person.createdAt()} + INTERVAL 1 MINUTE`;
  return sql`CASE WHEN ${isUpgraded} THEN 'force_upgrade' WHEN ${e.personMode()} = 1 THEN 'propertyless' ELSE 'full' END`;
}

/** Read from the properties: left out of `*`. */
const nullable = (key: string): Column<EventsTable> => ({
  type: optional(STRING),
  read: (e) => e.property(key),
  isVirtual: true,
});

const blankWhereMissing = (key: string): Column<EventsTable> => ({
  type: STRING,
  read: (e) => sql`coalesce(${e.property(key)}, '')`,
  isVirtual: true,
});

const PERSON_OF_EVENT = personFields<EventsTable>((e) => e.person);

/** In the order of `*`. */
const EVENTS: Fields<EventsTable> = fieldsOf({
  uuid: { type: UUID, read: (e) => e.column("uuid") },
  event: { type: STRING, read: (e) => e.column("event") },
  properties: {
    type: JSON_TEXT,
    read: (e) => e.column("properties"),
    property: (e, key) => e.propertyJson(key),
  },
  timestamp: { type: TIME, read: (e) => e.column("timestamp") },
  distinct_id: { type: STRING, read: (e) => e.column("distinct_id") },
  elements_chain: { type: STRING, read: (e) => e.column("elements_chain") },
  created_at: { type: TIME, read: (e) => e.column("created_at") },
  person_id: { type: UUID, read: (e) => e.personId() },
  person_mode: { type: STRING, read: personMode },
  $session_id: nullable("$session_id"),
  $window_id: nullable("$window_id"),
  ...Object.fromEntries(GROUP_INDEXES.map((index) => [`$group_${index}`, blankWhereMissing(`$group_${index}`)])),
  person: { fields: PERSON_OF_EVENT },
  pdi: {
    fields: fieldsOf<EventsTable>({
      distinct_id: { type: STRING, read: (e) => e.column("distinct_id") },
      person_id: { type: UUID, read: (e) => e.personId() },
      person: { fields: PERSON_OF_EVENT },
    }),
  },
  ...Object.fromEntries(
    GROUP_INDEXES.map((index) => [`group_${index}`, { fields: groupFields<EventsTable>((e) => e.groups[index]) }]),
  ),
});

/** One use of a table other than events: its columns are those of the lake's relation. */
class StoredTable {
  /** Of a table with a column that holds a person's id. */
  readonly person: PersonLookup;
  private readonly joined: Joined;
  private readsProperties = false;

  constructor(
    alias: string,
    private readonly relation: (o: { properties: boolean }) => Sql,
    personIdColumn: "id" | "person_id",
  ) {
    this.joined = new Joined(alias);
    this.person = new PersonLookup(this.joined, () => this.column(personIdColumn));
  }

  column(column: string): Sql {
    if (column === "properties") this.readsProperties = true;
    return sql`${this.joined.alias}.${name(column)}`;
  }

  from(): Sql {
    return this.joined.from(this.relation({ properties: this.readsProperties }));
  }
}

const stored = (column: string, type: Type): Column<StoredTable> => ({ type, read: (rows) => rows.column(column) });

const PERSONS: Fields<StoredTable> = fieldsOf({
  id: stored("id", UUID),
  created_at: stored("created_at", TIME),
  properties: { ...stored("properties", JSON_TEXT), property: (rows, key) => rows.person.property(key) },
  is_identified: stored("is_identified", typeOf("bool")),
});

const PERSON_DISTINCT_IDS: Fields<StoredTable> = fieldsOf({
  distinct_id: stored("distinct_id", STRING),
  person_id: stored("person_id", UUID),
  person: { fields: personFields<StoredTable>((rows) => rows.person) },
});

const GROUPS: Fields<StoredTable> = fieldsOf({
  index: stored("index", GROUP_INDEX),
  key: stored("key", STRING),
  created_at: stored("created_at", TIME),
  properties: stored("properties", JSON_TEXT),
});

/** Parts of PostHog's schema that are not answered yet: refused by name. */
const LATER: Record<string, ReadonlySet<string>> = {
  events: new Set(["session", "poe", ...GROUP_INDEXES.map((index) => `goe_${index}`)]),
  persons: new Set(["pdi"]),
};

/** Events whose rows are read through a table that is there already. */
export function eventsSource(rows: EventsTable, teamId: number): Source {
  return fieldsSource({
    alias: "e",
    table: "events",
    fields: EVENTS,
    rows,
    teamId: integer(teamId),
    later: LATER.events!,
  });
}

/** One of `TABLES`. */
export function storedSource(table: string, alias: string, sqlAlias: string, teamId: number): Source {
  const base = { alias, table, teamId: integer(teamId), later: LATER[table] ?? new Set() };
  if (table === "events") {
    const rows = new EventsTable(sqlAlias);
    const bounds: TimeBounds = { fromMs: null, toMs: null };
    const source = fieldsSource({ ...base, fields: EVENTS, rows, timeBounds: bounds });
    return { ...source, events: { table: rows, bounds } };
  }
  const of = (fields: Fields<StoredTable>, relation: (o: { properties: boolean }) => Sql, id: "id" | "person_id") =>
    fieldsSource({ ...base, fields, rows: new StoredTable(sqlAlias, relation, id) });
  if (table === "persons") return of(PERSONS, RELATION.persons, "id");
  if (table === "groups") return of(GROUPS, RELATION.groups, "id");
  return of(PERSON_DISTINCT_IDS, () => RELATION.distinctIds, "person_id");
}
