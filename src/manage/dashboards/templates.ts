import type { JsonObject } from "../../types/mod.ts";

/** A place on a dashboard of twelve columns. */
interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** An insight that is to stand on a dashboard. */
export interface TemplateTile {
  name: string;
  description: string;
  /** The node that is saved. */
  query: JsonObject;
  place: Place;
}

/** What a new dashboard can begin with. */
interface Template {
  name: string;
  description: string;
  tiles: readonly TemplateTile[];
}

/** Wide enough for a chart, and a row's height. */
const [HALF, THIRD, HEIGHT] = [6, 4, 5];

/** Two tiles in a row, from the row `y` on. */
export const pair = (y: number): [Place, Place] => [
  { x: 0, y, w: HALF, h: HEIGHT },
  { x: HALF, y, w: HALF, h: HEIGHT },
];
/** Three tiles in a row. */
const three = (y: number): [Place, Place, Place] => [
  { x: 0, y, w: THIRD, h: HEIGHT },
  { x: THIRD, y, w: THIRD, h: HEIGHT },
  { x: 2 * THIRD, y, w: THIRD, h: HEIGHT },
];

/** A saved node around a query of an insight, without test accounts. */
export const insight = (source: JsonObject): JsonObject => ({
  kind: "InsightVizNode",
  source: { filterTestAccounts: true, ...source },
});

const since = (date_from: string) => ({ dateRange: { date_from } });

const PAGEVIEW = { kind: "EventsNode", event: "$pageview", name: "$pageview" };
const ANY_EVENT = { kind: "EventsNode", event: null, name: "All events" };

/** What is asked about events of a name, or about all, in every product. */
function questionsAbout(event: typeof PAGEVIEW | typeof ANY_EVENT) {
  const entity: JsonObject =
    event.event === null ? { type: "events", name: event.name } : { id: event.event, type: "events" };
  return {
    today: insight({
      kind: "TrendsQuery",
      series: [{ ...event, math: "dau" }],
      ...since("-7d"),
      compareFilter: { compare: true },
      trendsFilter: { display: "BoldNumber" },
    }),
    daily: insight({ kind: "TrendsQuery", series: [{ ...event, math: "dau" }], interval: "day", ...since("-30d") }),
    weekly: insight({ kind: "TrendsQuery", series: [{ ...event, math: "dau" }], interval: "week", ...since("-90d") }),
    retention: insight({
      kind: "RetentionQuery",
      retentionFilter: {
        retentionType: "retention_first_time",
        period: "Week",
        totalIntervals: 8,
        targetEntity: entity,
        returningEntity: entity,
      },
    }),
    lifecycle: insight({ kind: "LifecycleQuery", series: [event], interval: "week", ...since("-90d") }),
  };
}

const DEFAULT_APP = questionsAbout(PAGEVIEW);
const FIRST_EVENTS = questionsAbout(ANY_EVENT);

/** Ready-made dashboards, by the name that `use_template` gives. Names that PostHog has ask the same. */
export const TEMPLATES: Readonly<Record<string, Template>> = {
  DEFAULT_APP: {
    name: "Product analytics",
    description: "Who visits, how often they come back, from where, and what they look at.",
    tiles: [
      {
        name: "Daily active users (DAUs)",
        description: "How many people viewed a page on each day.",
        query: DEFAULT_APP.daily,
        place: pair(0)[0],
      },
      {
        name: "Weekly active users (WAUs)",
        description: "How many people viewed a page in each week.",
        query: DEFAULT_APP.weekly,
        place: pair(0)[1],
      },
      {
        name: "Visitors of the last seven days",
        description: "Beside the seven days before.",
        query: DEFAULT_APP.today,
        place: three(5)[0],
      },
      {
        name: "Referring domain (last 14 days)",
        description: "Where people came from.",
        query: insight({
          kind: "TrendsQuery",
          series: [{ ...PAGEVIEW, math: "dau" }],
          ...since("-14d"),
          breakdownFilter: { breakdown: "$referring_domain", breakdown_type: "event" },
          trendsFilter: { display: "ActionsBarValue" },
        }),
        place: three(5)[1],
      },
      {
        name: "Most viewed pages",
        description: "Page views by path.",
        query: insight({
          kind: "TrendsQuery",
          series: [PAGEVIEW],
          ...since("-30d"),
          breakdownFilter: { breakdown: "$pathname", breakdown_type: "event", breakdown_limit: 10 },
          trendsFilter: { display: "ActionsBarValue" },
        }),
        place: three(5)[2],
      },
      {
        name: "Retention",
        description: "How many of those who came for the first time come back in the weeks after.",
        query: DEFAULT_APP.retention,
        place: pair(10)[0],
      },
      {
        name: "Growth accounting",
        description: "How many people are new, come back, return after a break, or stay away.",
        query: DEFAULT_APP.lifecycle,
        place: pair(10)[1],
      },
      {
        name: "Pageview funnel, by browser",
        description: "How many people view a second and a third page.",
        query: insight({
          kind: "FunnelsQuery",
          series: ["First page view", "Second page view", "Third page view"].map((name) => ({
            ...PAGEVIEW,
            custom_name: name,
          })),
          ...since("-7d"),
          breakdownFilter: { breakdown: "$browser", breakdown_type: "event" },
        }),
        place: { x: 0, y: 15, w: 2 * HALF, h: HEIGHT },
      },
    ],
  },
  FIRST_EVENTS: {
    name: "First events",
    description: "What arrives, from how many people, and how often they come back. It fits any project.",
    tiles: [
      {
        name: "Active persons of the last seven days",
        description: "Beside the seven days before.",
        query: FIRST_EVENTS.today,
        place: three(0)[0],
      },
      {
        name: "Active persons by day",
        description: "How many persons did anything on each day.",
        query: FIRST_EVENTS.daily,
        place: { x: THIRD, y: 0, w: 2 * THIRD, h: HEIGHT },
      },
      {
        name: "Events by day",
        description: "The ten most frequent events.",
        query: insight({
          kind: "TrendsQuery",
          series: [ANY_EVENT],
          interval: "day",
          ...since("-14d"),
          breakdownFilter: { breakdown: "event", breakdown_type: "event_metadata", breakdown_limit: 10 },
          trendsFilter: { display: "ActionsBar" },
        }),
        place: pair(5)[0],
      },
      {
        name: "Persons by event",
        description: "How many persons did each of the ten most frequent events.",
        query: insight({
          kind: "TrendsQuery",
          series: [{ ...ANY_EVENT, math: "dau" }],
          ...since("-30d"),
          breakdownFilter: { breakdown: "event", breakdown_type: "event_metadata", breakdown_limit: 10 },
          trendsFilter: { display: "ActionsBarValue" },
        }),
        place: pair(5)[1],
      },
      {
        name: "Weekly active persons",
        description: "How many persons did anything in each week.",
        query: FIRST_EVENTS.weekly,
        place: pair(10)[0],
      },
      {
        name: "Growth accounting",
        description: "How many persons are new, come back, return after a break, or stay away.",
        query: FIRST_EVENTS.lifecycle,
        place: pair(10)[1],
      },
      {
        name: "Retention",
        description: "How many of those who did anything for the first time come back in the weeks after.",
        query: FIRST_EVENTS.retention,
        place: pair(15)[0],
      },
      {
        name: "All events",
        description: "How often each event came in the last 30 days, from how many persons, and when last.",
        query: {
          kind: "DataTableNode",
          source: {
            kind: "HogQLQuery",
            query: `SELECT event, count() AS events, count(DISTINCT person_id) AS persons, max(timestamp) AS last_seen
FROM events WHERE timestamp > now() - INTERVAL 30 DAY GROUP BY event ORDER BY events DESC LIMIT 50`,
          },
        },
        place: pair(15)[1],
      },
    ],
  },
};
