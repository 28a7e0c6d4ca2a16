export { checkConfig, destinationOf, downloadFolder, partName } from "./destinations/mod.ts";
export {
  boundaryAfter,
  boundaryOn,
  boundaryUpTo,
  countIntervals,
  INTERVALS,
  isOfCalendar,
} from "./intervals.ts";
export type { DestinationEnv, Model } from "./model.ts";
export { ExportLoop } from "./run/loop.ts";
export { Settling } from "./run/settling.ts";
