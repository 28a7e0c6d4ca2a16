import { open } from "node:fs/promises";
import { type Measured, measure } from "../../bucket/mod.ts";
import { draftPath, filesOf, type SegmentShape } from "./segmentFile.ts";
import type { SegmentStore } from "./segmentStore.ts";

/** Of a segment whose files are drafts. */
export function measureDrafts({ workDirectory }: SegmentStore, segment: SegmentShape): Promise<Measured> {
  return measure(filesOf(segment), (file) => open(draftPath(workDirectory, file), "r"));
}

/** Of a segment that was published. Throws SegmentMissing. */
export function measureFiles(store: SegmentStore, segment: SegmentShape): Promise<Measured> {
  return measure(filesOf(segment), (file) => store.open(store.locate(file)));
}
