export { Fields } from "./fields.ts";
export type * from "./types.ts";
export { RowRejected } from "./types.ts";
export { uuidFrom, uuidOf } from "./uuid.ts";
