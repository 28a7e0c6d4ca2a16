export { rangesOf, readDays } from "./days.ts";
export { askJson, CutOff, type Downloads, downloadTo, Refused } from "./download.ts";
export { EMPTY_ZIP, LinesEnding, ZipEnding } from "./endings.ts";
export { StagingFolder } from "./folder.ts";
export { readHost } from "./hosts.ts";
export { RequestLimit, type Rule, waitMs } from "./limit.ts";
export { pauseMs } from "./pauses.ts";
export { refuseOf } from "./ways.ts";
