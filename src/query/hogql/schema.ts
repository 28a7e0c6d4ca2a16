import type { GroupIndex } from "../../types/mod.ts";
import type { QueryContext } from "../context.ts";
import { elementsHref, elementsIds, elementsTags, elementsTexts } from "../elements.ts";
import { EventsTable } from "../events.ts";
import { GROUP_INDEXES, type GroupLookup, Joined, PersonLookup } from "../lookups.ts";
import { type FieldKind, SESSION_FIELDS, SessionRows, SessionWindow } from "../sessions.ts";
import { name, RELATION, type Sql, sql } from "../sql.ts";
import { type Column, type Fields, fieldsOf, fieldsSource } from "./fields.ts";
import type { Source } from "./source.ts";
import { arrayOf, optional, type TimeBounds, type Type, typeOf } from "./types.ts";

/** The tables that a project has. */
export const TABLES: readonly string[] = ["events", "persons", "person_distinct_ids", "groups", "sessions"];

/** Tables that PostHog has and Weir does not, with what to ask instead. */
export const REFUSED_TABLES: ReadonlyMap<string, string> = new Map([
  ["cohort_people", "use `person_id IN COHORT …`"],
  ["static_cohort_people", "use `person_id IN COHORT …`"],
  ["session_replay_events", "recordings are not stored"],
  ["raw_session_replay_events", "recordings are not stored"],
  ["log_entries", "logs are not stored"],
  ["logs", "logs are not stored"],
  ["heatmaps", "heatmaps are not stored"],
]);

const STRING = typeOf("string");
const JSON_TEXT: Type = { ...STRING, isJson: true };
const UUID = typeOf("uuid");
const TIME = typeOf("datetime");
const GROUP_INDEX: Type = { ...typeOf("int"), clickhouse: "UInt8" };

/** The person of each row; without a person row all but its id is NULL, its properties are none. */
const personFields = <T>(person: (rows: T) => PersonLookup): Fields<T> =>
  fieldsOf({
    id: { type: UUID, read: (rows) => person(rows).id() },
    created_at: { type: optional(TIME), read: (rows) => person(rows).createdAt() },
    properties: {
      type: JSON_TEXT,
      read: (rows) => sql`coalesce(${person(rows).properties()}, '{}')`,
      property: { read: (rows, key) => person(rows).property(key), owner: { type: "person" } },
    },
    is_identified: { type: optional(typeOf("bool")), read: (rows) => person(rows).isIdentified() },
  });

const groupFields = <T>(index: GroupIndex, group: (rows: T) => GroupLookup): Fields<T> =>
  fieldsOf({
    index: { type: optional(GROUP_INDEX), read: (rows) => group(rows).index() },
    key: { type: optional(STRING), read: (rows) => group(rows).key() },
    created_at: { type: optional(TIME), read: (rows) => group(rows).createdAt() },
    properties: {
      type: JSON_TEXT,
      read: (rows) => sql`coalesce(${group(rows).properties()}, '{}')`,
      property: { read: (rows, key) => group(rows).property(key), owner: { type: "group", index } },
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

const ofElements = (type: Type, read: (chain: Sql) => Sql): Column<EventsTable> => ({
  type,
  read: (e) => read(e.column("elements_chain")),
  isVirtual: true,
});

const SESSION_TYPES: Record<FieldKind, Type> = {
  string: optional(STRING),
  int: typeOf("int"),
  datetime: TIME,
  bool: optional(typeOf("bool")),
  array: arrayOf(STRING),
};

/** Fields of sessions by a way to one; `isThere` where each row has its session. */
function sessionFields<T>(field: (rows: T, key: string) => Sql, isThere: boolean): Record<string, Column<T>> {
  const fields = [...SESSION_FIELDS].map(([key, { kind }]): [string, Column<T>] => {
    const type = SESSION_TYPES[kind];
    return [key, { type: isThere ? type : optional(type), read: (rows) => field(rows, key) }];
  });
  return Object.fromEntries(fields);
}

const SESSION_OF_EVENT = fieldsOf<EventsTable>({
  ...sessionFields((e, key) => e.session.field(key, "session").value, false),
  id: nullable("$session_id"),
  session_id: nullable("$session_id"),
});

const PERSON_OF_EVENT = personFields<EventsTable>((e) => e.person);

/** In the order of `*`. */
const EVENTS: Fields<EventsTable> = fieldsOf({
  uuid: { type: UUID, read: (e) => e.column("uuid") },
  event: { type: STRING, read: (e) => e.column("event") },
  properties: {
    type: JSON_TEXT,
    read: (e) => e.column("properties"),
    property: { read: (e, key) => e.propertyJson(key), owner: { type: "event" } },
  },
  timestamp: { type: TIME, read: (e) => e.column("timestamp") },
  distinct_id: { type: STRING, read: (e) => e.column("distinct_id") },
  elements_chain: { type: STRING, read: (e) => e.column("elements_chain") },
  elements_chain_href: ofElements(STRING, elementsHref),
  elements_chain_texts: ofElements(arrayOf(STRING), elementsTexts),
  elements_chain_ids: ofElements(arrayOf(STRING), elementsIds),
  elements_chain_elements: ofElements(arrayOf(STRING), elementsTags),
  created_at: { type: TIME, read: (e) => e.column("created_at") },
  person_id: { type: UUID, read: (e) => e.personId() },
  person_mode: { type: STRING, read: personMode },
  $session_id: nullable("$session_id"),
  $window_id: nullable("$window_id"),
  ...Object.fromEntries(GROUP_INDEXES.map((index) => [`$group_${index}`, blankWhereMissing(`$group_${index}`)])),
  session: { fields: SESSION_OF_EVENT },
  person: { fields: PERSON_OF_EVENT },
  pdi: {
    fields: fieldsOf<EventsTable>({
      distinct_id: { type: STRING, read: (e) => e.column("distinct_id") },
      person_id: { type: UUID, read: (e) => e.personId() },
      person: { fields: PERSON_OF_EVENT },
    }),
  },
  ...Object.fromEntries(
    GROUP_INDEXES.map((index) => [
      `group_${index}`,
      { fields: groupFields<EventsTable>(index, (e) => e.groups[index]) },
    ]),
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

  /** A person's distinct ids: a row for each of them, as PostHog has it. */
  distinctId(): Sql {
    const id = this.person.id();
    const found = this.joined.lookup(
      "pdi",
      () => RELATION.distinctIds,
      (alias) => sql`${alias}.person_id = ${id}`,
    );
    return sql`${found}.distinct_id`;
  }

  from(): Sql {
    return this.joined.from(this.relation({ properties: this.readsProperties }));
  }
}

const stored = (column: string, type: Type): Column<StoredTable> => ({ type, read: (rows) => rows.column(column) });

const PERSONS: Fields<StoredTable> = fieldsOf({
  id: stored("id", UUID),
  created_at: stored("created_at", TIME),
  properties: {
    ...stored("properties", JSON_TEXT),
    property: { read: (rows, key) => rows.person.property(key), owner: { type: "person" } },
  },
  is_identified: stored("is_identified", typeOf("bool")),
  pdi: {
    fields: fieldsOf<StoredTable>({
      distinct_id: { type: optional(STRING), read: (rows) => rows.distinctId() },
      person_id: stored("id", UUID),
    }),
  },
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

/** One use of the table of sessions, which are made of events. */
class SessionsTable {
  private readonly rows: SessionRows;

  constructor(
    private readonly alias: Sql,
    window: SessionWindow,
    events: EventsTable,
  ) {
    this.rows = new SessionRows(window, events);
  }

  id(): Sql {
    return sql`${this.alias}.session_id`;
  }

  field(key: string): Sql {
    return sql`${this.alias}.${this.rows.column(key)!.column}`;
  }

  from(): Sql {
    return sql`${this.rows.relation()} AS ${this.alias}`;
  }
}

const SESSIONS: Fields<SessionsTable> = fieldsOf({
  session_id: { type: STRING, read: (rows) => rows.id() },
  id: { type: STRING, read: (rows) => rows.id(), isVirtual: true },
  ...sessionFields<SessionsTable>((rows, key) => rows.field(key), true),
});

/** Parts of PostHog's schema that are not answered: refused by name. */
const REFUSED: Record<string, ReadonlySet<string>> = {
  events: new Set(["poe", ...GROUP_INDEXES.map((index) => `goe_${index}`)]),
  sessions: new Set(["$channel_type", "$last_external_click_url", "$vitals_lcp"]),
};

const NONE: ReadonlySet<string> = new Set();

/** Events whose rows are read through a table that is there already. */
export function eventsSource(rows: EventsTable, context: QueryContext): Source {
  return fieldsSource({ alias: "e", table: "events", fields: EVENTS, rows, context, refused: REFUSED.events! });
}

/** One of `TABLES`; `bounds` takes the time of the events that it reads, known when the statement is written. */
export function storedSource(
  table: string,
  alias: string,
  sqlAlias: string,
  context: QueryContext,
  bounds: (() => TimeBounds)[],
): Source {
  const base = { alias, table, context, refused: REFUSED[table] ?? NONE };
  const span: TimeBounds = { fromMs: null, toMs: null };
  const sessions = new SessionWindow(span);
  if (table === "events") {
    const rows = new EventsTable(sqlAlias, sessions);
    bounds.push(() => (sessions.isRead ? sessions.widened : span));
    const source = fieldsSource({ ...base, fields: EVENTS, rows, time: { column: "timestamp", bounds: span } });
    return { ...source, events: { table: rows, bounds: span } };
  }
  if (table === "sessions") {
    const rows = new SessionsTable(name(sqlAlias), sessions, new EventsTable(`${sqlAlias}_s`));
    bounds.push(() => sessions.widened);
    const time = { column: "$start_timestamp", bounds: span };
    return { ...fieldsSource({ ...base, fields: SESSIONS, rows, time }), bounds: span };
  }
  const of = (fields: Fields<StoredTable>, relation: (o: { properties: boolean }) => Sql, id: "id" | "person_id") =>
    fieldsSource({ ...base, fields, rows: new StoredTable(sqlAlias, relation, id) });
  if (table === "persons") return of(PERSONS, RELATION.persons, "id");
  if (table === "groups") return of(GROUPS, RELATION.groups, "id");
  return of(PERSON_DISTINCT_IDS, () => RELATION.distinctIds, "person_id");
}
