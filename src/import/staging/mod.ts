export { checkLines, checkZip, EMPTY_ZIP } from "./checks.ts";
export { rangesOf, readDays } from "./days.ts";
export { askJson, CutOff, type Downloads, downloadTo, Refused, type Request } from "./download.ts";
export { type StagedPart, StagingFolder } from "./folder.ts";
export { RequestLimit, type Rule, waitMs } from "./limit.ts";
export { type Failure, pauseMs } from "./pauses.ts";
