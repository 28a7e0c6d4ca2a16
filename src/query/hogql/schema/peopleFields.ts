import type { GroupIndex } from "../../../types/mod.ts";
import { type GroupLookup, Joined, PersonLookup } from "../../source/lookups.ts";
import { name, RELATION, type Sql, sql } from "../../sql/sql.ts";
import { GROUP_INDEX, JSON_TEXT, STRING, TIME, UUID } from "../../value/columnTypes.ts";
import { optional, type Type, typeOf } from "../../value/types.ts";
import { type Column, type Fields, fieldsOf } from "./fields.ts";

/** The person of each row; without a person row all but its id is NULL, its properties are none. */
export const personFields = <T>(person: (rows: T) => PersonLookup): Fields<T> =>
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

export const groupFields = <T>(index: GroupIndex, group: (rows: T) => GroupLookup): Fields<T> =>
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

/** One use of a table other than events: its columns are those of the lake's relation. */
export class StoredTable {
  /** Of a table with a column that holds a person's id. */
  readonly person: PersonLookup;
  private readonly joined: Joined;
  private readsProperties = false;
  private readsNumbers = false;

  constructor(
    alias: string,
    private readonly relation: (o: { properties: boolean; numbers: boolean }) => Sql,
    personIdColumn: "id" | "person_id",
  ) {
    this.joined = new Joined(alias);
    this.person = new PersonLookup(this.joined, () => this.column(personIdColumn));
  }

  column(column: string): Sql {
    if (column === "properties") this.readsProperties = true;
    return sql`${this.joined.alias}.${name(column)}`;
  }

  /** Of persons: what tells one from others, as rows of events have it. */
  who(): Sql {
    this.readsNumbers = true;
    return RELATION.who(this.joined.alias);
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
    return this.joined.from(this.relation({ properties: this.readsProperties, numbers: this.readsNumbers }));
  }
}

const stored = (column: string, type: Type): Column<StoredTable> => ({ type, read: (rows) => rows.column(column) });

export const PERSONS: Fields<StoredTable> = fieldsOf({
  id: { ...stored("id", UUID), identity: (rows) => rows.who() },
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

export const PERSON_DISTINCT_IDS: Fields<StoredTable> = fieldsOf({
  distinct_id: stored("distinct_id", STRING),
  person_id: stored("person_id", UUID),
  person: { fields: personFields<StoredTable>((rows) => rows.person) },
});

export const GROUPS: Fields<StoredTable> = fieldsOf({
  index: stored("index", GROUP_INDEX),
  key: stored("key", STRING),
  created_at: stored("created_at", TIME),
  properties: stored("properties", JSON_TEXT),
});
