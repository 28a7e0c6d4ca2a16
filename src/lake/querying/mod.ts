export { ArrivalWatch } from "./arrivalWatch.ts";
export { type Lake, type LakeOptions, type LakeQuery, openLake, type QueryOutcome } from "./door.ts";
export { JsonFile } from "./jsonFile.ts";
export type { StatementProgress } from "./messages.ts";
