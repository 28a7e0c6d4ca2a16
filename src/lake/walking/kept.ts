import { KeptReads } from "./keptReads.ts";
import type { PackedNumbers } from "./places.ts";

/** A property of all rows of some files: each row has the code of its value, 0 without one. */
export interface PropertyCodes {
  /** Values by code, from 1; `separator` is in none of them. */
  values: { joined: string; separator: string; count: number };
  /** By file, and the row's place in it. */
  codes: PackedNumbers[];
  sizeBytes: number;
}

/** When actors were made. */
export interface MadeTimes {
  /** By code, epoch ms; NaN where it is not known. All threads see it. */
  ms: Float64Array;
  sizeBytes: number;
}

/** What stays of one walk for the next ones. */
export interface Kept {
  codes: KeptReads<PropertyCodes>;
  made: KeptReads<MadeTimes>;
}

/** Of the memory, for codes of properties, and for times at which actors were made. */
const [CODES_SHARE, MADE_SHARE] = [1 / 8, 1 / 16];

/** For a process with so much memory. `asksBeforeKept`: of properties; when actors were made is read as a whole whoever asks. */
export const keptFor = (memoryBytes: number, asksBeforeKept: number): Kept => ({
  codes: new KeptReads({ mostBytes: memoryBytes * CODES_SHARE, asksBeforeKept }),
  made: new KeptReads({ mostBytes: memoryBytes * MADE_SHARE, asksBeforeKept: 0 }),
});
