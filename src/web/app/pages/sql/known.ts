import type { DatabaseSchemaQueryAnswer } from "../../api/schema.ts";

export type SqlTables = DatabaseSchemaQueryAnswer["tables"];

/** A property, and what it holds; null where nobody says. */
export interface SqlProperty {
  key: string;
  type: string | null;
}

/** All names that a text can have. */
export interface Known {
  tables: SqlTables;
  properties: {
    event: readonly SqlProperty[];
    person: readonly SqlProperty[];
    /** By the number of the type of groups. */
    group: Readonly<Record<number, readonly SqlProperty[]>>;
  };
  /** Names of events, the most frequent first. */
  events: readonly string[];
}

/** A name as it is written in HogQL. */
export const written = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "``")}\``;

/** A name without its quotes. */
export function plain(name: string): string {
  const inner = /^[`"]([\s\S]*?)[`"]?$/.exec(name)?.[1];
  return inner === undefined ? name : inner.replaceAll("``", "`").replaceAll("\\\\", "\\");
}
