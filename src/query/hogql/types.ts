import type { Sql } from "../sql.ts";

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
  | "null";

/** What is known of an expression before it runs. */
export interface Type {
  kind: Kind;
  nullable: boolean;
  /** Of an array. */
  element?: Type;
  /** A text that holds JSON: `.key` reads in it. */
  isJson?: boolean;
  /** ClickHouse's name where it says more than the kind. */
  clickhouse?: string;
}

export type IntervalUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "quarter" | "year";

/** A span of epoch milliseconds, both ends within; null is unbounded. */
export interface TimeBounds {
  fromMs: number | null;
  toMs: number | null;
}

/** A compiled expression. Instants are TIMESTAMP in UTC, whatever zone they are shown in. */
export interface Value {
  sql: Sql;
  type: Type;
  /** Holds an aggregate that is not inside a subquery. */
  isAggregate: boolean;
  /** Known before it runs: a literal, an instant, a day. */
  constant?: string | number | boolean | null;
  instant?: Temporal.ZonedDateTime;
  day?: Temporal.PlainDate;
  /** An interval's unit and amount. */
  interval?: { unit: IntervalUnit; amount: Value };
  /** Where the value is read from a JSON text: reading further goes on from there. */
  json?: { text: Sql; path: (string | number)[] };
  /** Members of a tuple. */
  members?: Value[];
  /** Of the column `timestamp` of events itself: what conditions on it narrow, to choose the files. */
  bounds?: TimeBounds;
}

export const typeOf = (kind: Kind, nullable = false): Type => ({ kind, nullable });

export function value(sql: Sql, type: Type, inputs: readonly Value[] = []): Value {
  return { sql, type, isAggregate: inputs.some((input) => input.isAggregate) };
}

export const isNumeric = (type: Type): boolean => type.kind === "int" || type.kind === "float" || type.kind === "bool";

const NAMES: Record<Exclude<Kind, "array" | "null">, string> = {
  string: "String",
  int: "Int64",
  float: "Float64",
  bool: "Bool",
  datetime: "DateTime64",
  date: "Date",
  uuid: "UUID",
  interval: "Interval",
  tuple: "Tuple",
};

/** The name that ClickHouse has for a type, as PostHog's clients read it. */
export function clickhouseName(type: Type, timezone: string): string {
  if (type.kind === "null") return "Nullable(Nothing)";
  if (type.kind === "array") return `Array(${type.element ? clickhouseName(type.element, timezone) : "Nothing"})`;
  const plain = type.kind === "datetime" ? `DateTime64(6, '${timezone}')` : NAMES[type.kind];
  const named = type.clickhouse ?? plain;
  return type.nullable ? `Nullable(${named})` : named;
}

/** For messages. */
export function describe(type: Type): string {
  const names: Record<Kind, string> = {
    string: "a string",
    int: "a number",
    float: "a number",
    bool: "a boolean",
    datetime: "a time",
    date: "a date",
    uuid: "a UUID",
    interval: "an interval",
    array: "an array",
    tuple: "a tuple",
    null: "NULL",
  };
  return names[type.kind];
}
