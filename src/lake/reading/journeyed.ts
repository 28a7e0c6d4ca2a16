import { concernsEvents, type Snapshot, type SnapshotSegment } from "../catalog/mod.ts";

/** Whether a journey tells the order of a file's rows: not where some of them are deleted. */
export function isJourneyed(segment: SnapshotSegment, { erasures, roster }: Snapshot): boolean {
  const isWhole = erasures.every((erasure) => erasure.version <= segment.erasedThrough || !concernsEvents(erasure));
  return segment.hasJourney && segment.isOwn && roster !== null && isWhole;
}
