/** A whole project as a folder of open formats: `weir export` writes it, `weir import weir` reads it. */
export type { Manifest, TakeoutFormat } from "./manifest.ts";
export { iso, type Range, weeksAndDaysOf } from "./ranges.ts";
export { checkTakeout, filesOf, openTakeout, readTakeoutObjects } from "./read.ts";
export { rowCount } from "./rowCount.ts";
export { type TakeoutProgress, type TakeoutWish, writeTakeout } from "./write.ts";
