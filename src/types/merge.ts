export type MergeKind = "identify" | "alias" | "dangerous";

/** Two distinct_ids become one person; the person of `target` survives. */
export interface Merge {
  illegal?: false;
  kind: MergeKind;
  source: string;
  target: string;
  /** The other id was longer than an id can be and was cut: another id may begin with the same characters. */
  isCut?: true;
}

/** One of the ids belongs to no one person: the event is stored, the merge is not made. */
export interface IllegalMerge extends Omit<Merge, "illegal"> {
  illegal: true;
}
