export { Api, ApiRefused, type ProjectAddress } from "./api/mod.ts";
export { Fields } from "./fields.ts";
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
