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
} as const;

/** Numbers of the lanes in the column `lane`. Stored: never renumber. */
export const LANE_NUMBER = { live: 0, history: 1 } as const;

/** Columns of the relation that a query reads: it is bound to its project. */
export const RELATION_COLUMNS = Object.entries(SEGMENT_COLUMNS).filter(([name]) => name !== "team_id");

export const quoted = (name: string): string => `"${name}"`;
