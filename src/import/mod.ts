export { Api, ApiRefused } from "./api/mod.ts";
export { stringifyExact } from "./exact.ts";
export { Fields } from "./fields.ts";
export { inputsOf, Reader } from "./reading/mod.ts";
export {
  type Between,
  type Counts,
  type DryRun,
  dryRun,
  type ImportFacts,
  Judge,
  noCounts,
  Plan,
  personsOnlyOf,
  type Report,
  Run,
  State,
  type Telling,
  Walk,
} from "./run/mod.ts";
export { type WeirAddress, WeirClient } from "./sending/mod.ts";
export { inspect } from "./sources/file/inspect.ts";
export { findSource } from "./sources/mod.ts";
export { StagingFolder } from "./staging/mod.ts";
export {
  iso,
  type Manifest,
  type TakeoutFormat,
  type TakeoutProgress,
  type TakeoutWish,
  writeTakeout,
} from "./takeout/mod.ts";
export type * from "./types.ts";
export { RowRejected } from "./types.ts";
export { uuidFrom, uuidOf } from "./uuid.ts";
