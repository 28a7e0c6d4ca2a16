export { NO_CODE } from "./actorWalk.ts";
export { FOUND_ROWS, type Found, type FoundColumn } from "./found.ts";
export type { FunnelFound } from "./funnelFound.ts";
export { FunnelWalker } from "./funnelWalker.ts";
export type { PathsFound } from "./pathsFound.ts";
export { PathsWalker } from "./pathsWalker.ts";
export type { FunnelProgram, PathsProgram, Program } from "./program.ts";
export { type RowFields, rowsOf, type Slice, type Walker, walkerOf } from "./walker.ts";
