/** The events of a segment in order of person, time and uuid. Columns lie in the file's bytes. */
export interface Journey {
  rowCount: number;
  /**
   * Kinds of events, in order: the name, the number in `person_mode`, and how many rows have both. `events` holds places in
   * these lists.
   */
  names: string[];
  modes: number[];
  counts: number[];
  /** Numbers of the persons that have rows, ascending. */
  persons: Uint32Array;
  /** Where the rows of each begin, and where the last end: one more than `persons`. */
  starts: Uint32Array;
  /** Epoch ms that `offsetsMs` count from. */
  baseMs: number;
  /** 4 bytes where the span fits 2^32 ms, else 8. */
  offsetsMs: Uint32Array | Float64Array;
  /** 1 byte up to 256 kinds, else 2. */
  events: Uint8Array | Uint16Array;
  /** The place of each row in the segment's rows, from 0 (DuckDB's file_row_number). */
  rows: Uint32Array;
}

/** Kinds of events of one journey; a segment with more has none. */
export const MAX_KINDS = 65_536;
/** Rows of one journey; a segment with more has none. */
export const MAX_ROWS = 2 ** 32 - 1;
