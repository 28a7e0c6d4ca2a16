export { FlushLayouts } from "./flushLayouts.ts";
export { type EventsPart, type FlushRows, SegmentWriter, type Written } from "./segmentWriter.ts";
export { rowGroupSize, sumWideBytes } from "./textSizes.ts";
