import { ordinalOf, VERSION_SOURCE, type Version } from "../types/mod.ts";
import type { Delivered } from "./actor.ts";

/** The highest time given in one lane of a partition; committed with its position. */
export interface LaneClock {
  lastMs: number;
}

/**
 * Where an event stands in the order of everything said of persons (protocol rule 18). Live, overflow, identity: the time
 * of acceptance, never going back in a lane and partition, and never before the event's own merge. History: the event's
 * own time, at most that of acceptance, so that an older value never wins.
 */
export function versionOf(
  at: Pick<Delivered, "event" | "lane" | "sequence" | "index" | "storedAtMs">,
  clock: LaneClock,
): Version {
  const { event, lane, storedAtMs } = at;
  const source = VERSION_SOURCE[lane];
  const ordinal = ordinalOf(at.sequence, at.index);
  if (lane === "history") return { tMs: Math.min(event.timestampMs, storedAtMs), source, ordinal };
  clock.lastMs = Math.max(clock.lastMs, storedAtMs, event.mergedAtMs);
  return { tMs: clock.lastMs, source, ordinal };
}
