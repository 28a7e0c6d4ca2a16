import { sqlString } from "../engine/mod.ts";
import type { SegmentPart } from "./segmentFile.ts";
import type { SegmentStore } from "./segmentStore.ts";

/** Gives locations. */
export type Locator = Pick<SegmentStore, "locate">;

/** Of the files of these segments that a DuckDB reads. */
export function locationsOf(store: Locator, segments: readonly { id: string; rollupZone: string | null }[]): string[] {
  return segments.flatMap(({ id, rollupZone }) => {
    const rows = store.locate({ id, part: "rows" });
    return rollupZone === null ? [rows] : [rows, store.locate({ id, part: "rollup" })];
  });
}

/** SQL text of the list of these segments' files. */
export function fileList(store: Locator, segments: readonly { id: string }[], part: SegmentPart = "rows"): string {
  return `[${segments.map(({ id }) => sqlString(store.locate({ id, part }))).join(", ")}]`;
}

/** SQL text of the table that they are together; `isNamed` gives each row the path of its file as `filename`. */
export function tableOf(
  store: Locator,
  segments: readonly { id: string }[],
  { part = "rows", isNamed = false }: { part?: SegmentPart; isNamed?: boolean } = {},
): string {
  return `read_parquet(${fileList(store, segments, part)}${isNamed ? ", filename = true" : ""})`;
}
