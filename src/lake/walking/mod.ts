export { FileUnreadable } from "./fileUnreadable.ts";
export { opened } from "./opened.ts";
export { OpenFiles } from "./openFiles.ts";
export { KnownCodes } from "./propertyCodes.ts";
export { type Step, WalkSession } from "./session.ts";
export type { JourneyWalk, WalkStatement } from "./statement.ts";
export { WALK_LIMITS, type WalkLimits } from "./walkLimits.ts";
export { WalkTable } from "./walkTable.ts";
export { WalkThreadDied, WalkThreads } from "./walkThreads.ts";
