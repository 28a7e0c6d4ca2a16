import { agesOfRows } from "./ages.ts";
import type { SavedKind } from "./kind.ts";
import { asItIs } from "./overrides.ts";

const rows = (name: string, listedAs?: SavedKind["listedAs"]): SavedKind => ({
  name,
  listedAs,
  ages: agesOfRows,
  override: asItIs,
});

/** Kinds of PostHog's that can be saved and are not answered yet: refused by name. */
export const LATER: readonly SavedKind[] = [
  rows("InsightActorsQuery"),
  rows("FunnelsActorsQuery"),
  rows("PersonsNode", "JSON"),
  rows("EventsNode", "JSON"),
  rows("ActionsNode"),
  rows("SessionsTimelineQuery", "JSON"),
  rows("WebOverviewQuery"),
  rows("WebStatsTableQuery"),
];

/** How a node is treated of whose kind nothing is known. */
export const UNKNOWN: SavedKind = rows("");
