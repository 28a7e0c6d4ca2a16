/** Rows of a `Found`, at most. */
export const FOUND_ROWS = 2048;

/** What a walk has found, by columns; it is filled again once it was taken. */
export interface Found {
  rowCount: number;
  actor: Uint32Array;
  /** The code of the value; `NO_CODE` where there is none. */
  value: Uint32Array;
  bucket: Int32Array;
  reached: Uint8Array;
  /** The instant of each step in microseconds; NaN where it was not reached, or left out. */
  times: Float64Array[];
}

export function newFound(steps: number): Found {
  return {
    rowCount: 0,
    actor: new Uint32Array(FOUND_ROWS),
    value: new Uint32Array(FOUND_ROWS),
    bucket: new Int32Array(FOUND_ROWS),
    reached: new Uint8Array(FOUND_ROWS),
    times: Array.from({ length: steps }, () => new Float64Array(FOUND_ROWS)),
  };
}
