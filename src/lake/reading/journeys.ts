import type { Snapshot } from "../catalog/mod.ts";
import { type Locator, tableOf } from "../storage/mod.ts";
import { movedNumbers } from "./dailyRollup.ts";
import { isStale, type Means, numbersIn } from "./events.ts";
import { isJourneyed } from "./journeyed.ts";

/** What journeys hold of a snapshot's events. */
export interface Journeys {
  /** In the order in which the places of `events` count them. `isStale`: persons have been merged since. */
  files: { location: string; isStale: boolean }[];
  /** Other files have events, too. */
  hasOthers: boolean;
  /** Numbers of persons are below it. */
  persons: number;
  /** Some persons have no number. */
  hasUnnumbered: boolean;
  /** The table of `moved` INTEGER, `number` INTEGER and `unnumbered` UUID: numbers of persons who are others now; null where there are none. */
  moved: string | null;
  /** The table of `number` INTEGER and `person_id` UUID. */
  ids: string;
}

/** Null where no file has one, or persons are told apart by their ids alone. */
export function journeysIn(snapshot: Snapshot, store: Locator, means: Means): Journeys | null {
  const { segments, roster } = snapshot;
  const { count, hasUnnumbered } = numbersIn(snapshot);
  const files = segments.filter((segment) => isJourneyed(segment, snapshot));
  if (roster === null || count === 0 || files.length === 0) return null;
  const ids = tableOf(store, [roster]);
  const isAnyStale = files.some((file) => isStale(file, snapshot));
  return {
    files: files.map((file) => ({
      location: store.locate({ id: file.id, part: "journey" }),
      isStale: isStale(file, snapshot),
    })),
    hasOthers: files.length < segments.length,
    persons: count,
    hasUnnumbered,
    moved: isAnyStale ? movedNumbers(ids, means) : null,
    ids,
  };
}
