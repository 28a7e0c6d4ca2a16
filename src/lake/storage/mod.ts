export { BucketStore } from "./bucketStore.ts";
export { LocalStore } from "./local.ts";
export { measureDrafts, measureFiles } from "./measure.ts";
export {
  belongs,
  draftPath,
  fileName,
  filesOf,
  parseFileName,
  rawPath,
  type SegmentFile,
  type StoredFile,
} from "./segmentFile.ts";
export { SegmentMissing, type SegmentStore } from "./segmentStore.ts";
export { spillDirectory, sweepSpills } from "./spill.ts";
export { fileList, type Locator, locationsOf, tableOf } from "./tables.ts";
