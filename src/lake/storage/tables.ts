import { sqlString } from "../engine/mod.ts";
import type { SegmentPart, SegmentShape } from "./segmentFile.ts";
import type { SegmentStore } from "./segmentStore.ts";

/** Gives locations. */
export type Locator = Pick<SegmentStore, "locate">;

/** Of the files of these segments that a DuckDB reads. */
export function locationsOf(
  store: Locator,
  segments: readonly Pick<SegmentShape, "id" | "rollupZone" | "hasPersonRows">[],
): string[] {
  return segments.flatMap(({ id, rollupZone, hasPersonRows }) => {
    const parts: SegmentPart[] = ["rows"];
    if (rollupZone !== null) parts.push("rollup");
    if (hasPersonRows) parts.push("personRows");
    return parts.map((part) => store.locate({ id, part }));
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
