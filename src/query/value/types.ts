import { bind, FALSE, integer, type PersonCount, type Sql, sql, text } from "../sql/sql.ts";
import type { Span } from "../time/dates.ts";

export type Kind =
  | "string"
  | "int"
  | "float"
  | "bool"
  | "datetime"
  | "date"
  | "uuid"
  | "interval"
  | "array"
  | "tuple"
  | "map"
  | "null";

/** What is known of an expression before it runs. */
export interface Type {
  kind: Kind;
  nullable: boolean;
  /** Of an array its elements, of a map its values; absent where nothing is known of them. */
  element?: Type;
  /** Of a map. */
  key?: Type;
  /** Of a tuple. */
  members?: readonly Type[];
  /** A text that holds JSON: `.key` reads in it. */
  isJson?: boolean;
  /** Of a time: the zone it is shown in, where that is not the environment's. */
  zone?: string;
  /** ClickHouse's name where it says more than the kind. */
  clickhouse?: string;
}

export type IntervalUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";

/** A compiled expression. Instants are TIMESTAMP in UTC, whatever zone they are shown in. */
export interface Value {
  sql: Sql;
  type: Type;
  /** Holds an aggregate that is not inside a subquery. */
  isAggregate: boolean;
  /** Holds a window function that is not inside a subquery. */
  isWindow: boolean;
  /** Another one each time it is read. */
  isRandom?: true;
  /** Known before it runs: a literal, an instant, a day. */
  constant?: string | number | boolean | null;
  instant?: Temporal.ZonedDateTime;
  day?: Temporal.PlainDate;
  /** An interval's unit and amount. */
  interval?: { unit: IntervalUnit; amount: Value };
  /** Where the value is read from a JSON text: reading further goes on from there. */
  json?: { text: Sql; path: (string | number)[] };
  /** Of a tuple that is written out. */
  members?: readonly Value[];
  /** Of an array that is written out. */
  items?: readonly Value[];
  /** Of a lambda: the name that its body (`sql`) has for what it is called with. */
  parameter?: Sql;
  /** Of the person of an event: an aggregate that counts different ones, faster than by their ids. */
  countPersons?: (o: PersonCount) => Sql;
  /** Of a person: what tells it from others; of an event's it is cheaper than the id. */
  identity?: () => Sql;
  /** Of the time of an event: some time of the same day. Who reads `sql` instead asks for the time itself. */
  ofDay?: Sql;
  /** Of a property with a definition: the text that is stored. */
  stored?: Value;
  /** A cheaper value of which this one is a rising function: MIN and MAX read that. */
  rising?: { of: Sql; shown: (of: Sql) => Sql };
  /** A cheaper value that tells the same apart: GROUP BY reads `key`, and says so by asking for it. */
  groupKey?: () => Sql;
  /** At most so many different values, known when the statement is written. */
  valuesMax?: () => number;
  /** Of the person of an event: says that all rows that are read are of the person with this id. */
  ofPerson?: (id: string) => void;
  /** Of the column `timestamp` of events itself: what conditions on it narrow, to choose the files. */
  bounds?: Span;
}

export const typeOf = (kind: Kind, nullable = false): Type => ({ kind, nullable });

export const arrayOf = (element: Type): Type => ({ kind: "array", nullable: false, element });

export const mapOf = (key: Type, element: Type): Type => ({ kind: "map", nullable: false, key, element });

export const tupleOf = (members: readonly Type[]): Type => ({ kind: "tuple", nullable: false, members });

export const optional = (type: Type): Type => ({ ...type, nullable: true });

export function value(sql: Sql, type: Type, inputs: readonly Value[] = []): Value {
  return {
    sql,
    type,
    isAggregate: inputs.some((input) => input.isAggregate),
    isWindow: inputs.some((input) => input.isWindow),
    ...(inputs.some((input) => input.isRandom) && { isRandom: true }),
  };
}

export const isNumeric = (type: Type): boolean => type.kind === "int" || type.kind === "float" || type.kind === "bool";

/** Whether it may be no number, as `0 / 0`. */
export const mayBeNaN = ({ type, constant }: Value): boolean =>
  type.kind === "float" && (constant === undefined || Number.isNaN(constant));

/** What an array holds; of an empty array literal that is nothing. */
export const elementOf = (type: Type): Type => type.element ?? typeOf("null", true);

/** A value where the type's zero stands for a missing one. */
export function orZero(from: Value): Value {
  const zero = zeroOf(from.type);
  return zero === null
    ? { ...from, type: optional(from.type) }
    : value(sql`coalesce(${from.sql}, ${zero})`, { ...from.type, nullable: false }, [from]);
}

/** Each kind in messages, by ClickHouse's name, and ClickHouse's "no value" of it, where that cannot be NULL. */
const KINDS: Record<Kind, { described: string; clickhouse: string; zero?: Sql }> = {
  string: { described: "a string", clickhouse: "String", zero: text("") },
  int: { described: "a number", clickhouse: "Int64", zero: integer(0) },
  float: { described: "a number", clickhouse: "Float64", zero: bind(0, "DOUBLE") },
  bool: { described: "a boolean", clickhouse: "Bool", zero: FALSE },
  datetime: { described: "a time", clickhouse: "DateTime64" },
  date: { described: "a date", clickhouse: "Date" },
  uuid: { described: "a UUID", clickhouse: "UUID" },
  interval: { described: "an interval", clickhouse: "Interval" },
  array: { described: "an array", clickhouse: "Array", zero: sql`[]` },
  tuple: { described: "a tuple", clickhouse: "Tuple" },
  map: { described: "a map", clickhouse: "Map" },
  null: { described: "NULL", clickhouse: "Nothing" },
};

/** What ClickHouse has for "no value" of a type that cannot be NULL; null where this engine has NULL. */
export const zeroOf = (type: Type): Sql | null => KINDS[type.kind].zero ?? null;

/** The name that ClickHouse has for a type, as PostHog's clients read it. */
export function clickhouseName(type: Type, timezone: string): string {
  const inner = (part: Type | undefined) => (part === undefined ? "Nothing" : clickhouseName(part, timezone));
  switch (type.kind) {
    case "null":
      return "Nullable(Nothing)";
    case "array":
      return `Array(${inner(type.element)})`;
    case "map":
      return `Map(${inner(type.key)}, ${inner(type.element)})`;
    case "tuple":
      return `Tuple(${(type.members ?? []).map(inner).join(", ")})`;
  }
  const plain = type.kind === "datetime" ? `DateTime64(6, '${type.zone ?? timezone}')` : KINDS[type.kind].clickhouse;
  const named = type.clickhouse ?? plain;
  return type.nullable ? `Nullable(${named})` : named;
}

/** For messages. */
export const describe = (type: Type): string => KINDS[type.kind].described;
