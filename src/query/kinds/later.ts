import { agesByInterval, agesOfRows } from "./ages.ts";
import type { SavedKind } from "./kind.ts";
import { asItIs, overrideInsight } from "./overrides.ts";

const insight = (name: string, listedAs: SavedKind["listedAs"], o = { breaksDown: false }): SavedKind => ({
  name,
  listedAs,
  ages: agesByInterval,
  override: overrideInsight(o),
});
const rows = (name: string, listedAs?: SavedKind["listedAs"]): SavedKind => ({
  name,
  listedAs,
  ages: agesOfRows,
  override: asItIs,
});

/** Kinds of PostHog's that can be saved and are not answered yet: refused by name. */
export const LATER: readonly SavedKind[] = [
  insight("RetentionQuery", "RETENTION", { breaksDown: true }),
  insight("PathsQuery", "PATHS"),
  insight("StickinessQuery", "STICKINESS"),
  insight("LifecycleQuery", "LIFECYCLE"),
  rows("InsightActorsQuery"),
  rows("FunnelsActorsQuery"),
  rows("FunnelCorrelationQuery"),
  rows("PersonsNode", "JSON"),
  rows("EventsNode", "JSON"),
  rows("ActionsNode"),
  rows("SessionsTimelineQuery", "JSON"),
  rows("WebOverviewQuery"),
  rows("WebStatsTableQuery"),
];

/** How a node is treated of whose kind nothing is known. */
export const UNKNOWN: SavedKind = rows("");
