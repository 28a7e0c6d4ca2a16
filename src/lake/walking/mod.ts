export { FileUnreadable } from "./fileUnreadable.ts";
export { opened } from "./opened.ts";
export { OpenFiles } from "./openFiles.ts";
export { type Kept, keptFor, type Step, WalkSession } from "./session.ts";
export { shownColumns } from "./shownColumns.ts";
export type { JourneyWalk, NameMarks, WalkStatement } from "./statement.ts";
export { WALK_LIMITS, type WalkLimits } from "./walkLimits.ts";
export { shownOf, WalkTable } from "./walkTable.ts";
export { WalkThreadDied, WalkThreads } from "./walkThreads.ts";
