export { checkConfig, DESTINATION_TYPES, destinationOf, downloadFolder, partName } from "./destinations/mod.ts";
export {
  boundaryAfter,
  boundaryOn,
  boundaryUpTo,
  countIntervals,
  INTERVALS,
  type Interval,
  isOfCalendar,
} from "./intervals.ts";
export type { Destination, DestinationEnv, Model, OpenDestination, Part, RunRange } from "./model.ts";
export { ExportLoop } from "./run/loop.ts";
export { Settling } from "./run/settling.ts";
