export { holdingFiles, type VerifyOptions } from "./options.ts";
export { segmentProblem } from "./segmentProblem.ts";
export { type ErasedReport, verifyErased } from "./verifyErased.ts";
export { type FilesReport, verifyFiles } from "./verifyFiles.ts";
