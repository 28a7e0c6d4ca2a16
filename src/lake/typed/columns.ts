/** Columns of a segment's Parquet file, in order, with the types that queries see. */
export const SEGMENT_COLUMNS = {
  team_id: "BIGINT",
  uuid: "UUID",
  event: "VARCHAR",
  distinct_id: "VARCHAR",
  person_id: "UUID",
  timestamp: "TIMESTAMP",
  created_at: "TIMESTAMP",
  lane: "UTINYINT",
  ordinal: "BIGINT",
  properties: "VARCHAR",
  elements_chain: "VARCHAR",
  person_mode: "UTINYINT",
} as const;

/** Numbers of the lanes in the column `lane`. Stored: never renumber. */
export const LANE_NUMBER = { live: 0, history: 1, overflow: 2 } as const;

/** Numbers in the column `person_mode`, PostHog's own. Stored: never renumber. */
export const PERSON_MODE_NUMBER = { full: 0, propertyless: 1 } as const;

/** Columns of the relation that a query reads: it is bound to its project. */
export const RELATION_COLUMNS = Object.entries(SEGMENT_COLUMNS).filter(([name]) => name !== "team_id");

/** The JSON type that a column holds, as the type of its values. Stored in the catalog. */
export type ColumnType = "VARCHAR" | "BOOLEAN" | "BIGINT" | "DOUBLE";

/** A top-level key of a project's properties that has a column of its own. */
export interface TypedColumn {
  /** Its place in the project's layout, from 0: a file with n columns holds those of the ids below n. */
  id: number;
  key: string;
  type: ColumnType;
}

/** Columns of a project's layout at most. */
export const LAYOUT_MAX_COLUMNS = 100;

/** Of those, kept for keys that queries read or that are pinned. */
export const LAYOUT_ASKED_ROOM = 20;

/** Not the key itself: DuckDB's identifiers ignore case. */
export const columnName = ({ id }: Pick<TypedColumn, "id">): string => `p${id}`;

/** The properties that have no column, in a file that has columns; a file without has them all in `properties`. */
export const REST = "rest";

/** Where a file with so many typed columns keeps its JSON text. */
export const jsonColumn = (columns: number): string => (columns === 0 ? "properties" : REST);

/** How many typed columns a file with columns of these names has. */
export function typedColumnsIn(names: Iterable<string>): number {
  return [...names].filter((name) => /^p\d+$/.test(name)).length;
}

/** Columns of a file with these typed ones, in order. */
export function fileColumns(columns: readonly TypedColumn[]): string[] {
  const properties = [...columns.map(columnName), jsonColumn(columns.length)];
  return Object.keys(SEGMENT_COLUMNS).flatMap((name) => (name === "properties" ? properties : [name]));
}

/** For readers of the file alone: JSON, by the name of the column. */
export function describeLayout(columns: readonly TypedColumn[]): string {
  return JSON.stringify(
    Object.fromEntries(columns.map((column) => [columnName(column), { key: column.key, type: column.type }])),
  );
}

/**
 * A JSON pointer (RFC 6901). Pointers, because in a JSON path even a quoted `*` is a wildcard. Positions in arrays count
 * from one for users, from zero in a pointer.
 */
export function pointerOf(path: readonly (string | number)[]): string {
  return path.map((step) => `/${typeof step === "number" ? step - 1 : escaped(step)}`).join("");
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The beginning of an object's member with this key. */
export const memberStart = (key: string): string => `${JSON.stringify(key)}:`;
