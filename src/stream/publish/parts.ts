import {
  type DropCause,
  type IngestionWarning,
  type Lane,
  type OutgoingEvent,
  TerminalError,
} from "../../types/mod.ts";
import { FRAME_RAW_MAX_BYTES } from "../frame/codec.ts";
import { estimateBytes } from "../frame/frameWriter.ts";
import { partitionOf, partitionOfEvent } from "../link/partition.ts";
import type { Part } from "./request.ts";

/** Far below what a frame may unpack to, so that the last event of a frame always fits. */
export const EVENT_MAX_BYTES = FRAME_RAW_MAX_BYTES / 8;

/** Events of one project for one lane, in order, and counts of those of the same request that were set aside. */
export interface PublishBatch {
  teamId: number;
  lane: Lane;
  events: OutgoingEvent[];
  dropped: Partial<Record<DropCause, number>>;
  /** They travel in the header of one of its frames; those that do not fit there (4 KB) are left out. */
  warnings?: IngestionWarning[];
}

/** A part that belongs to no request yet. */
export type UnsentPart = Omit<Part, "request">;

/**
 * The events of a batch by partition. A batch without events still carries its counts and warnings, in a frame of no events.
 * Throws TerminalError `frame_refused` for an event that is too large.
 */
export function splitBatch(
  { teamId, events, dropped, warnings = [] }: PublishBatch,
  partitions: number,
): Map<number, UnsentPart> {
  const parts = new Map<number, UnsentPart>();
  const partAt = (partition: number): UnsentPart => {
    let part = parts.get(partition);
    if (part === undefined) {
      part = emptyPart(teamId);
      parts.set(partition, part);
    }
    return part;
  };
  for (const event of events) addEvent(partAt(partitionOfEvent(event, partitions)), event);
  if (warnings.length > 0 || Object.values(dropped).some((count) => count > 0)) {
    const first = partAt(parts.keys().next().value ?? partitionOf(teamId, "", partitions));
    first.dropped = dropped;
    first.warnings = [...warnings];
  }
  return parts;
}

export function emptyPart(teamId: number): UnsentPart {
  return { teamId, events: [], waitingBytes: 0, next: 0, dropped: null, warnings: [] };
}

/** Throws TerminalError `frame_refused`. */
export function addEvent(part: UnsentPart, event: OutgoingEvent): void {
  const sizeBytes = estimateBytes(event);
  if (sizeBytes > EVENT_MAX_BYTES) {
    throw new TerminalError("frame_refused", `An event of ${sizeBytes} bytes is too large`);
  }
  part.events.push(event);
  part.waitingBytes += sizeBytes;
}
