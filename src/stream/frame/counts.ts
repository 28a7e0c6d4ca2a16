import type { DropCause, TeamCounts } from "../../types/mod.ts";

/** Header that carries a frame's counts, so that they can be summed without reading events (protocol rule 5). */
export const COUNTS_HEADER = "Weir-Counts";

type Entry = [teamId: number, events: number] | [teamId: number, events: number, dropped: TeamCounts["dropped"]];

export function encodeCounts(counts: Iterable<TeamCounts>): string {
  const entries: Entry[] = [];
  for (const { teamId, events, dropped } of counts) {
    entries.push(Object.keys(dropped).length === 0 ? [teamId, events] : [teamId, events, dropped]);
  }
  return JSON.stringify(entries);
}

/** The counts of a frame, or null when no publisher wrote the header. */
export function decodeCounts(text: string): TeamCounts[] | null {
  try {
    const entries = JSON.parse(text) as Entry[];
    return entries.map(([teamId, events, dropped]) => {
      if (!Number.isSafeInteger(teamId) || !Number.isSafeInteger(events)) throw new Error("not a count");
      return { teamId, events, dropped: dropped ?? {} };
    });
  } catch {
    return null;
  }
}

export function addDropped(into: TeamCounts["dropped"], dropped: TeamCounts["dropped"]): void {
  for (const [cause, count] of Object.entries(dropped) as [DropCause, number][]) {
    if (count > 0) into[cause] = (into[cause] ?? 0) + count;
  }
}
