import type { Found } from "./found.ts";

/** Rows in the order that a walk needs (`rowsOf`), in columns. */
export interface Slice {
  rowCount: number;
  /** Any numbers by which actors differ. */
  actor: Uint32Array;
  /** Microseconds. */
  us: Float64Array;
  steps: Int32Array;
  /** Null where there are no exclusions. */
  excluded: Int32Array | null;
  /** Codes in the order of the values, `NO_CODE` for NULL; null without values. */
  value: Uint32Array | null;
}

/** Walks over the rows of all actors, in slices of any size. What it remembers is of one actor. */
export interface Walker {
  /** What it fills. */
  readonly found: Found;
  take(slice: Slice): void;
  /** There are no more rows, and others go on: gives what is full, and answers with what it has counted and not given. It takes nothing more. */
  part(): Part;
  /** Adds the part of another walker of the same program, which has walked over the rows of other actors. */
  addPart(part: Part): void;
  /** There are no more rows. */
  end(): void;
}

/** What a walker has counted, in arrays whose meaning its own kind knows. */
export type Part = readonly PartColumn[];
export type PartColumn = Uint8Array | Uint32Array | Float64Array;
