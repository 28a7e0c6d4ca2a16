import { HogqlError } from "../../shape/errors.ts";
import type { EventsTable } from "../../source/events.ts";
import type { PersonLookup } from "../../source/lookups.ts";
import { name, type Sql, sql } from "../../sql/sql.ts";
import type { Span } from "../../time/dates.ts";
import { type Type, type Value, value } from "../../value/types.ts";

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
  /** One of the project's tables. */
  isStored?: boolean;
  /** Its piece of FROM, to be made when all fields have been asked for. */
  from(): Sql;
  /** Of a table of events. */
  events?: { table: EventsTable; bounds: Span };
  /** Of a table of persons, or of what has one. */
  person?: PersonLookup;
  /** Of a table of sessions: the time they begin in. */
  bounds?: Span;
}

export interface OutputColumn {
  name: string;
  type: Type;
}

/** Columns under other names: `AS t(a, b)`. Errors: HogqlError where there are not as many. */
export function renamed(columns: readonly OutputColumn[], names: readonly string[] | null | undefined): OutputColumn[] {
  if (names == null) return [...columns];
  if (names.length !== columns.length) {
    throw new HogqlError(`There are ${columns.length} columns, and names for ${names.length}.`);
  }
  return columns.map((column, i) => ({ ...column, name: names[i]! }));
}

/** A subquery, a CTE or a table function: its columns are c0, c1, … */
export function derivedSource(
  alias: string,
  sqlAlias: string,
  relation: Sql,
  columns: readonly OutputColumn[],
): Source {
  // Conditions on a time narrow it here, too.
  const bounds = columns.map((): Span => ({ fromMs: null, toMs: null }));
  const of = (index: number): Value => {
    const { type } = columns[index]!;
    const plain = value(sql`${name(sqlAlias)}.${name(`c${index}`)}`, type);
    return type.kind === "datetime" && type.zone === undefined ? { ...plain, bounds: bounds[index]! } : plain;
  };
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
