import type { Delivered } from "../../actors/contract.ts";
import { ordinalOf, VERSION_SOURCE, type Version } from "../types/mod.ts";

/** The highest time given in one lane of a partition; committed with its position. */
export interface LaneClock {
  lastMs: number;
}

/**
 * The place of an event in the order of all rows about persons (protocol rule 18). Live and overflow: the time of
 * acceptance, never going back in a lane and partition. History: the event's own time, at most that of acceptance, so that an
 * older value never wins. Identity: a millisecond after acceptance, above everything that was accepted until then, and
 * below the event that it was made of.
 */
export function versionOf(
  at: Pick<Delivered, "event" | "lane" | "sequence" | "index" | "storedAtMs">,
  clock: LaneClock,
): Version {
  const { event, lane, storedAtMs } = at;
  const source = VERSION_SOURCE[lane];
  const ordinal = ordinalOf(at.sequence, at.index);
  const { timestampMs, mergedAtMs } = event;
  if (lane === "history") return { tMs: Math.min(timestampMs, Math.max(storedAtMs, mergedAtMs)), source, ordinal };
  clock.lastMs = Math.max(clock.lastMs, storedAtMs, mergedAtMs === 0 ? 0 : mergedAtMs + 1);
  return { tMs: lane === "identity" ? clock.lastMs + 1 : clock.lastMs, source, ordinal };
}
