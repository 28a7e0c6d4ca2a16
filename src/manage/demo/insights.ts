import type { JsonObject } from "../../types/mod.ts";

const trend = (series: JsonObject, more: JsonObject = {}): JsonObject => ({
  kind: "InsightVizNode",
  source: {
    kind: "TrendsQuery",
    series: [{ kind: "EventsNode", ...series }],
    dateRange: { date_from: "-90d" },
    filterTestAccounts: true,
    ...more,
  },
});

/** Questions that the story has answers to. */
export const DEMO_INSIGHTS: { name: string; description: string; query: JsonObject }[] = [
  {
    name: "Daily visitors",
    description: "Distinct persons who saw a page",
    query: trend({ event: "$pageview", math: "dau" }),
  },
  {
    name: "Sign-ups a week",
    description: "How many people signed up",
    query: trend({ event: "signed up" }, { interval: "week" }),
  },
  {
    name: "Notes written",
    description: "Notes created on each day",
    query: trend({ event: "note created" }),
  },
  {
    name: "Most read pages",
    description: "Page views by path",
    query: {
      kind: "DataTableNode",
      source: {
        kind: "HogQLQuery",
        query:
          "SELECT properties.$pathname AS path, count() AS views FROM events WHERE event = '$pageview' GROUP BY path ORDER BY views DESC LIMIT 20",
      },
    },
  },
];
