export { FileUnreadable } from "./fileUnreadable.ts";
export { WalkSession } from "./session.ts";
export type { JourneyWalk, WalkStatement } from "./statement.ts";
export { WalkTable } from "./walkTable.ts";
