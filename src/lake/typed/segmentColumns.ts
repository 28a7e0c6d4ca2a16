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

export const quoted = (name: string): string => `"${name}"`;

const ROW_GROUP_MAX_ROWS = 122_880;
const ROW_GROUP_MIN_ROWS = 2_048;
/**
 * Text of properties in a row group. DuckDB reads and writes it in one piece for each thread, so this bounds the
 * memory of every scan, not only of writing.
 */
const ROW_GROUP_TEXT_BYTES = 32 * 1024 * 1024;

/** Rows of a Parquet row group, given the average length of properties. */
export function rowGroupSize(textBytesPerRow: number): number {
  const rows = ROW_GROUP_TEXT_BYTES / Math.max(1, textBytesPerRow);
  const whole = Math.floor(rows / ROW_GROUP_MIN_ROWS) * ROW_GROUP_MIN_ROWS;
  return Math.min(ROW_GROUP_MAX_ROWS, Math.max(ROW_GROUP_MIN_ROWS, whole));
}
