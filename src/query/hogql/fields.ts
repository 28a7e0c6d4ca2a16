import { HogqlError } from "../errors.ts";
import type { Sql } from "../sql.ts";
import { jsonValue } from "./convert.ts";
import { nearest } from "./nearest.ts";
import type { Source } from "./source.ts";
import { type TimeBounds, type Type, typeOf, type Value, value } from "./types.ts";

/** A column of a table whose rows are read through a `T`. */
export interface Column<T> {
  type: Type;
  read: (rows: T) => Sql;
  /** Of JSON whose properties can be had one by one: JSON text of one. */
  property?: (rows: T, key: string) => Sql;
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
  teamId: Sql;
  /** Names that PostHog has and that are not answered yet. */
  later: ReadonlySet<string>;
  /** What conditions on `timestamp` narrow. */
  timeBounds?: TimeBounds;
}

/** A table by its fields. */
export function fieldsSource<T extends { from(): Sql }>(options: TableOptions<T>): Source {
  const { alias, table, fields, rows, teamId, later, timeBounds } = options;
  const read = (key: string, column: Column<T>): Value => {
    const plain = value(column.read(rows), column.type);
    return key === "timestamp" && timeBounds !== undefined ? { ...plain, bounds: timeBounds } : plain;
  };
  return {
    alias,
    table,
    field(chain) {
      if (chain[0] === "team_id") return { value: value(teamId, typeOf("int")), used: 1 };
      if (later.has(String(chain[0]))) throw new HogqlError(`The field \`${chain.join(".")}\` is not supported yet.`);
      const found = find(fields, chain);
      if (found === null) return null;
      const { column, used } = found;
      const next = chain[used];
      if (column.property === undefined || typeof next !== "string") {
        return { value: read(String(chain[used - 1]), column), used };
      }
      return { value: jsonValue(column.property(rows, next), []), used: used + 1 };
    },
    star: () =>
      [...fields].flatMap(([key, entry]) =>
        "fields" in entry || entry.isVirtual ? [] : [{ name: key, value: read(key, entry) }],
      ),
    names: () => [...fields.keys()],
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
