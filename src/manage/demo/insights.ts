import type { JsonObject } from "../../types/mod.ts";
import { insight, pair, type TemplateTile } from "../dashboards/templates.ts";

const about = (kind: string, more: JsonObject): JsonObject =>
  insight({ kind, dateRange: { date_from: "-90d" }, ...more });

const trend = (series: JsonObject, more: JsonObject = {}): JsonObject =>
  about("TrendsQuery", { series: [{ kind: "EventsNode", ...series }], ...more });

const seen = { kind: "EventsNode", event: "$pageview" };
const signedUp = { kind: "EventsNode", event: "signed up" };
const written = { kind: "EventsNode", event: "note created" };

/** Questions that the story has answers to, as they stand on the demo dashboard. */
export const DEMO_TILES: readonly TemplateTile[] = [
  {
    name: "Daily visitors",
    description: "Distinct persons who saw a page",
    query: trend({ event: "$pageview", math: "dau" }),
    place: pair(0)[0],
  },
  {
    name: "Sign-ups a week",
    description: "How many people signed up",
    query: trend({ event: "signed up" }, { interval: "week" }),
    place: pair(0)[1],
  },
  {
    name: "From a visit to the first note",
    description: "How many of the visitors sign up, and write a note",
    query: about("FunnelsQuery", { series: [seen, signedUp, written] }),
    place: pair(5)[0],
  },
  {
    name: "Notes written",
    description: "Notes created on each day",
    query: trend({ event: "note created" }),
    place: pair(5)[1],
  },
  {
    name: "Who keeps writing",
    description: "How many of those who wrote their first note write in the weeks after",
    query: insight({
      kind: "RetentionQuery",
      retentionFilter: {
        retentionType: "retention_first_time",
        period: "Week",
        totalIntervals: 8,
        targetEntity: { id: "note created", type: "events" },
        returningEntity: { id: "note created", type: "events" },
      },
    }),
    place: pair(10)[0],
  },
  {
    name: "New, returning and lost writers",
    description: "People who write notes, by week",
    query: about("LifecycleQuery", { series: [written], interval: "week" }),
    place: pair(10)[1],
  },
  {
    name: "Visitors by browser",
    description: "Distinct persons who saw a page",
    query: trend(
      { event: "$pageview", math: "dau" },
      {
        breakdownFilter: { breakdown: "$browser", breakdown_type: "event" },
        trendsFilter: { display: "ActionsBarValue" },
      },
    ),
    place: pair(15)[0],
  },
  {
    name: "Most read pages",
    description: "Page views by path",
    query: {
      kind: "DataTableNode",
      source: {
        kind: "HogQLQuery",
        query:
          "SELECT properties.$pathname AS path, count() AS views FROM events WHERE event = '$pageview' GROUP BY path ORDER BY views DESC, path LIMIT 20",
      },
    },
    place: pair(15)[1],
  },
];
