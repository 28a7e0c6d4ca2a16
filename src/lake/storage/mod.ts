export { LocalStore } from "./local.ts";
export { measureDrafts, measureFile, measureFiles } from "./measure.ts";
export { belongs, draftPath, fileName, filesOf, rawPath, type SegmentFile } from "./segmentFile.ts";
export { SegmentMissing, type SegmentStore, type StoredFile } from "./segmentStore.ts";
export { spillDirectory, sweepSpills } from "./spill.ts";
export { fileList, type Locator, locationsOf, tableOf } from "./tables.ts";
