import type { Snapshot } from "./catalog/types.ts";
import { quoted, RELATION_COLUMNS } from "./columns.ts";
import { sqlString } from "./duckdb.ts";
import { checkSegmentId } from "./files.ts";

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
