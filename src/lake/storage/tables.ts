import { sqlString } from "../engine/mod.ts";
import type { SegmentPart } from "./segmentFile.ts";
import type { SegmentStore } from "./segmentStore.ts";

/** Gives locations. */
export type Locator = Pick<SegmentStore, "locate">;

/** SQL text of the list of these segments' files. */
export function fileList(store: Locator, segments: readonly { id: string }[], part: SegmentPart = "rows"): string {
  return `[${segments.map(({ id }) => sqlString(store.locate({ id, part }))).join(", ")}]`;
}

/** SQL text of the table that they are together. */
export function tableOf(store: Locator, segments: readonly { id: string }[], part: SegmentPart = "rows"): string {
  return `read_parquet(${fileList(store, segments, part)})`;
}
