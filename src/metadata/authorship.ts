import { numberOrNull, type Stored } from "../store/mod.ts";

/** The users that made a record and changed it last, and the times. */
export interface Authorship {
  createdBy: number | null;
  lastModifiedBy: number | null;
  createdAtMs: number;
  /** The time of any change. The modification time moves only with changes that count as one for this kind of record. */
  updatedAtMs: number;
  lastModifiedAtMs: number;
}

export interface AuthorshipRow {
  created_by: Stored | null;
  last_modified_by: Stored | null;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  last_modified_at_ms: Stored;
}

export const authorship = (row: AuthorshipRow): Authorship => ({
  createdBy: numberOrNull(row.created_by),
  lastModifiedBy: numberOrNull(row.last_modified_by),
  createdAtMs: Number(row.created_at_ms),
  updatedAtMs: Number(row.updated_at_ms),
  lastModifiedAtMs: Number(row.last_modified_at_ms),
});

/** The columns of a record that a user makes now. */
export const newAuthorshipColumns = (userId: number, nowMs: number): AuthorshipRow => ({
  created_by: userId,
  last_modified_by: userId,
  created_at_ms: nowMs,
  updated_at_ms: nowMs,
  last_modified_at_ms: nowMs,
});

/** The time of a change. It always grows, so that clients see that something changed even within a millisecond. */
export const changeTimeMs = (beforeMs: number, nowMs: number): number => Math.max(nowMs, beforeMs + 1);

/** The columns that a change sets. */
export const changedAuthorshipColumns = (record: Authorship) => ({
  last_modified_by: record.lastModifiedBy,
  updated_at_ms: record.updatedAtMs,
  last_modified_at_ms: record.lastModifiedAtMs,
});
