/** What an import from Segment is told. */
export interface SegmentOptions {
  files: readonly string[];
  /** The type of group that `groupId` is a key of. */
  groupType: string;
}
