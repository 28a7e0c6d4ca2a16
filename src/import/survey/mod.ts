export { Buckets } from "./buckets.ts";
export { Copies, CopyFinder } from "./copies.ts";
export { FirstFinder, type FirstsSummary, firstsPath } from "./firsts.ts";
export { RowTable } from "./rowTable.ts";
export { readUuid, writeUuid } from "./uuidBytes.ts";
