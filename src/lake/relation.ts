import type { GroupIndex } from "../types/mod.ts";
import type { Snapshot } from "./catalog/types.ts";
import { quoted, RELATION_COLUMNS } from "./columns.ts";
import { sqlString } from "./duckdb.ts";
import { checkSegmentId } from "./files.ts";

/**
 * What one snapshot of a project offers to a statement: each method gives the text of a parenthesised SELECT, made of the
 * catalog's ids and integers only. Values of users come in as the text of a parameter (`$3::VARCHAR`).
 */
export interface Relations {
  /**
   * The events, with the columns of `RELATION_COLUMNS`. `persons`: `person_id` is the person after all merges; without
   * it the column is as stored, which costs no look-up.
   */
  events(o: { persons: boolean }): string;
  /** `id` UUID, `created_at` TIMESTAMP, `properties` VARCHAR (JSON object text), `is_identified` BOOLEAN: one row a person. */
  persons(): string;
  /** `distinct_id` VARCHAR, `person_id` UUID: every distinct_id of a person. */
  distinctIds(): string;
  /** `person_id` UUID, `value` VARCHAR (JSON text): one row a person that has the property now. */
  personProperty(key: string): string;
  /** `index` UTINYINT, `key` VARCHAR, `created_at` TIMESTAMP, `properties` VARCHAR (JSON object text): one row a group. */
  groups(): string;
  /** `key` VARCHAR, `value` VARCHAR (JSON text): one row a group of the type that has the property now. */
  groupProperty(index: GroupIndex, key: string): string;
}

/**
 * SQL text of the events of one project as a snapshot has them. It is made of the catalog's ids and integers only;
 * files are named relative to the lake's folder. Without files it has no rows, but the same columns.
 */
export function eventsRelation(snapshot: Snapshot): string {
  if (snapshot.segments.length === 0) {
    const columns = RELATION_COLUMNS.map(([name, type]) => `null::${type} as ${quoted(name)}`);
    return `(select ${columns.join(", ")} where false)`;
  }
  if (!Number.isSafeInteger(snapshot.teamId)) throw new Error(`no team id: ${snapshot.teamId}`);
  const files = snapshot.segments.map(({ id }) => sqlString(`${checkSegmentId(id)}.parquet`));
  const columns = RELATION_COLUMNS.map(([name]) => quoted(name));
  return `(select ${columns.join(", ")} from read_parquet([${files.join(", ")}]) where team_id = ${snapshot.teamId})`;
}
