export type MergeKind = "identify" | "alias" | "dangerous";

/** That two distinct_ids are one person: the one of `target`, when both have one. */
export interface Merge {
  illegal?: false;
  kind: MergeKind;
  source: string;
  target: string;
  /** The id that the properties name is longer than one can be, and was cut: it may be another's too. */
  isCut?: true;
}

/** One of the ids names nobody: the event counts, the merge does not. */
export interface IllegalMerge extends Omit<Merge, "illegal"> {
  illegal: true;
}
