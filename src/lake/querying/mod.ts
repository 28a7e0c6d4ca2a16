export { type Lake, type LakeOptions, type LakeQuery, openLake, type QueryOutcome } from "./door.ts";
export { JsonFile } from "./jsonFile.ts";
export type { SqlValue, StatementProgress, WalkStatement } from "./messages.ts";
