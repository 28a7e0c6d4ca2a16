export { FlushLayouts } from "./flushLayouts.ts";
export { SegmentWriter, type Written } from "./segmentWriter.ts";
export { rowGroupSize, sumWideBytes } from "./textSizes.ts";
