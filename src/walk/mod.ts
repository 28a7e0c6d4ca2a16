export { NO_CODE } from "./actorWalk.ts";
export { FOUND_ROWS, type Found } from "./found.ts";
export type { FunnelProgram, Program } from "./program.ts";
export { type Slice, Walker } from "./walker.ts";
