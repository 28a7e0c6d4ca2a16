/** What bounds a walk over journeys. */
export interface WalkLimits {
  /** Walks over fewer rows have one thread. */
  leastRows: number;
  /**
   * So many rows of journeys are read before the walker gets what it needs of them: this bounds the memory of each thread, and what is
   * read is still near the processor when it is walked.
   */
  rangeRows: number;
  /**
   * So many walks ask the rows about a property before its values are read and kept (`KeptReads`): to read those of all rows takes longer than
   * to ask about some.
   */
  asksBeforeKept: number;
}

/** 300,000 rows take some 6 ms; to share them takes half of one. */
export const WALK_LIMITS: WalkLimits = { leastRows: 300_000, rangeRows: 65_536, asksBeforeKept: 1 };
