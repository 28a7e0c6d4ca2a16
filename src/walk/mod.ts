export type { ActiveGives, ActiveProgram } from "./activeProgram.ts";
export { ActiveWalker } from "./activeWalker.ts";
export { NO_CODE } from "./actorWalk.ts";
export { FOUND_ROWS, type Found, type FoundColumn, OTHER_CODE } from "./found.ts";
export { FunnelFound } from "./funnelFound.ts";
export { FunnelWalker } from "./funnelWalker.ts";
export type { PathsFound } from "./pathsFound.ts";
export { PathsWalker } from "./pathsWalker.ts";
export type { FunnelCountsProgram, FunnelProgram, PathsProgram, Program } from "./program.ts";
export {
  isCounted,
  type Known,
  NOTHING_KNOWN,
  type Part,
  type RowFields,
  rowsOf,
  type Slice,
  textOf,
  type Walker,
  walkerOf,
} from "./walker.ts";
