export { rangesOf, readDays } from "./days.ts";
export {
  askJson,
  CutOff,
  type Downloads,
  downloadTo,
  type Ending,
  Refused,
  type Request,
  type Target,
} from "./download.ts";
export { EMPTY_ZIP, LinesEnding, ZipEnding } from "./endings.ts";
export { type StagedPart, StagingFolder } from "./folder.ts";
export { readHost } from "./hosts.ts";
export { RequestLimit, type Rule, waitMs } from "./limit.ts";
export { type Failure, pauseMs } from "./pauses.ts";
export { refuseOf } from "./ways.ts";
