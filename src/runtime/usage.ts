import type { StoredRow } from "../../actors/contract.ts";
import type { UsageCount } from "../lake/mod.ts";
import { DAY_MS, dayOf } from "../types/mod.ts";

/** Events of a migration younger than this are counted once more, for comparison; they are never charged. */
const RECENT_MS = 2 * DAY_MS;

/** What stored rows add to the usage of their projects, by day of acceptance. */
export function usageOf(rows: readonly StoredRow[]): UsageCount[] {
  const counts = new Map<string, UsageCount>();
  const add = (teamId: number, day: number, kind: UsageCount["kind"]): void => {
    const key = `${teamId} ${day} ${kind}`;
    const count = counts.get(key);
    if (count === undefined) counts.set(key, { teamId, day, kind, events: 1 });
    else count.events++;
  };
  for (const { teamId, createdAtMs, lane, timestampMs } of rows) {
    const day = dayOf(createdAtMs);
    add(teamId, day, lane === "history" ? "historical" : "billable");
    if (lane === "history" && createdAtMs - timestampMs < RECENT_MS) add(teamId, day, "historical_recent");
  }
  return [...counts.values()];
}
