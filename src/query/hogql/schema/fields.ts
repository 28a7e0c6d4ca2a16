import type { PropertyOwner } from "../../../types/mod.ts";
import { HogqlError } from "../../shape/errors.ts";
import { nearest } from "../../shape/nearest.ts";
import type { QueryContext } from "../../source/context.ts";
import { integer, type PersonCount, type Sql } from "../../sql/sql.ts";
import type { Span } from "../../time/dates.ts";
import { asDefined, jsonValue } from "../../value/convert.ts";
import { type Type, typeOf, type Value, value } from "../../value/types.ts";
import type { Source } from "./source.ts";

/** A column of a table whose rows are read through a `T`. */
export interface Column<T> {
  type: Type;
  read: (rows: T) => Sql;
  /** Of JSON whose properties can be had one by one: JSON text of one, and whose property it is, for its definition. */
  property?: { read: (rows: T, key: string) => Sql; owner: PropertyOwner };
  /** Of the person of an event: an aggregate that counts different ones. */
  countPersons?: (rows: T, o: PersonCount) => Sql;
  /** Of a person: what tells it from others, in rows of events too. */
  identity?: (rows: T) => Sql;
  /** Of the time of events: some time of the day. */
  ofDay?: (rows: T) => Sql;
  /** Not a column of the table but read from the properties: left out of `*`. */
  isVirtual?: boolean;
}

/** Columns by name, and objects with columns of their own (`person.created_at`). */
export type Fields<T> = ReadonlyMap<string, Column<T> | { fields: Fields<T> }>;

export function fieldsOf<T>(fields: Record<string, Column<T> | { fields: Fields<T> }>): Fields<T> {
  return new Map(Object.entries(fields));
}

interface TableOptions<T> {
  alias: string;
  table: string;
  fields: Fields<T>;
  rows: T;
  context: QueryContext;
  /** Names that PostHog has and that are not answered. */
  refused: ReadonlySet<string>;
  /** The column whose conditions narrow the time of the events that are read. */
  time?: { column: string; bounds: Span };
  /** Told when all rows that are read are of one person. */
  ofPerson?: (id: string) => void;
}

/** A value whose SQL is asked for only when it is used: there may be a cheaper way to what is wanted of it. */
function lazy(read: () => Sql, type: Type, more: Partial<Value>): Value {
  let known: Sql | null = null;
  return {
    ...more,
    type,
    isAggregate: false,
    isWindow: false,
    get sql() {
      known ??= read();
      return known;
    },
  };
}

/** A table by its fields. */
export function fieldsSource<T extends { from(): Sql }>(options: TableOptions<T>): Source {
  const { alias, table, fields, rows, context, refused, time, ofPerson } = options;
  const read = (key: string, column: Column<T>): Value => {
    const { countPersons, identity, ofDay } = column;
    const bounds = key === time?.column ? { bounds: time.bounds } : {};
    if (identity !== undefined) {
      const persons = countPersons && { countPersons: (o: PersonCount) => countPersons(rows, o) };
      return lazy(() => column.read(rows), column.type, {
        ...persons,
        identity: () => identity(rows),
        ...(ofPerson && { ofPerson }),
      });
    }
    if (ofDay !== undefined) return lazy(() => column.read(rows), column.type, { ...bounds, ofDay: ofDay(rows) });
    return { ...value(column.read(rows), column.type), ...bounds };
  };
  return {
    alias,
    table,
    field(chain) {
      if (chain[0] === "team_id") return { value: value(integer(context.teamId), typeOf("int")), used: 1 };
      if (refused.has(String(chain[0]))) throw new HogqlError(`The field \`${chain.join(".")}\` is not supported.`);
      const found = find(fields, chain);
      if (found === null) return null;
      const { column, used } = found;
      const next = chain[used];
      const { property } = column;
      if (property === undefined || typeof next !== "string") {
        return { value: read(String(chain[used - 1]), column), used };
      }
      const text = jsonValue(property.read(rows, next), []);
      const isWhole = chain.length === used + 1;
      const type = isWhole ? context.records.propertyType(property.owner, next) : null;
      return { value: { ...asDefined(text, type, context), stored: text }, used: used + 1 };
    },
    star: () =>
      [...fields].flatMap(([key, entry]) =>
        "fields" in entry || entry.isVirtual ? [] : [{ name: key, value: read(key, entry) }],
      ),
    names: () => [...fields.keys()],
    isStored: true,
    from: () => rows.from(),
  };
}

/** The column that a chain begins with. Errors: HogqlError for an unknown field of an object, or an object as such. */
function find<T>(fields: Fields<T>, chain: readonly (string | number)[]): { column: Column<T>; used: number } | null {
  let level = fields;
  for (const [i, step] of chain.entries()) {
    const entry = level.get(String(step));
    if (entry === undefined && i === 0) return null;
    if (entry === undefined) {
      const near = nearest(String(step), level.keys());
      const hint = near === null ? "" : `. Perhaps you meant '${[...chain.slice(0, i), near].join(".")}'?`;
      throw new HogqlError(`Unable to resolve field: ${chain.join(".")}${hint}`);
    }
    if (!("fields" in entry)) return { column: entry, used: i + 1 };
    level = entry.fields;
  }
  const names = [...level.keys()].map((key) => `${chain.join(".")}.${key}`);
  throw new HogqlError(`\`${chain.join(".")}\` is not a column: name one of its fields (${names.join(", ")}).`);
}
