import type { Delivered } from "../../actors/contract.ts";
import type { Claim, Epoch } from "../lake/mod.ts";
import type { Frame, FrameReader } from "../stream/mod.ts";
import { type Lane, ordinalOf } from "../types/mod.ts";

/** From so many claims without a commit on, something in the partition is taken to kill workers (protocol rule 22). */
export const CAREFUL_FROM_ATTEMPTS = 3;

/** One lane of an owned partition: how far it is committed, and the reader that goes on from there. */
export interface OwnedLane {
  lane: Lane;
  partition: number;
  /** The right to commit for the partition. */
  epoch: Epoch;
  /** Sequence of the last committed frame. */
  position: number;
  /** Highest version time committed so far (protocol rule 18). */
  lastMs: number;
  attempts: number;
  /** Ordinals of events that killed three workers: they are set aside untried. */
  poisoned: number[];
  reader: FrameReader;
}

/** A partition that this worker holds an epoch of. */
export class OwnedPartition {
  readonly epoch: Epoch;
  readonly lanes: OwnedLane[];

  constructor(claim: Claim, openReader: (lane: Lane, partition: number, fromSequence: number) => FrameReader) {
    this.epoch = claim.epoch;
    this.lanes = claim.positions.map(({ lane, partition, position, lastMs, attempts, poisoned }) => ({
      lane,
      partition,
      epoch: claim.epoch,
      position,
      lastMs,
      attempts,
      poisoned,
      reader: openReader(lane, partition, position + 1),
    }));
  }

  close(): void {
    for (const lane of this.lanes) lane.reader.close();
  }
}

/** The frames of one lane that a flush takes; they end at `to`. */
export interface Take {
  from: OwnedLane;
  frames: readonly Frame[];
}

/** Events that a frame holds, by its header. */
export function eventsIn(frame: Frame): number {
  return frame.counts.reduce((sum, team) => sum + team.events, 0);
}

/** Whether an event is one that killed three workers when it was tried alone. */
export function isKiller(lane: OwnedLane, at: Pick<Delivered, "lane" | "partition" | "sequence" | "index">): boolean {
  if (lane.lane !== at.lane || lane.partition !== at.partition) return false;
  return lane.poisoned.includes(ordinalOf(at.sequence, at.index));
}
