import { afterAll, describe, expect, test } from "bun:test";
import { runQuery, type TrendsItem, type TrendsResponse } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { ANN, BOB, NOW, openPersonsScene } from "./personsScene.ts";
import { contextOf, failure } from "./support.ts";

const { lake, rows } = await openPersonsScene();
afterAll(() => lake.close());

const context = contextOf(lake, { nowMs: NOW });

interface Listed {
  results: Json[][];
  columns: string[];
  hasMore: boolean;
  missing_actors_count: number;
}

const ask = (node: JsonObject) => runQuery(node, context);
const trends = (node: JsonObject) => ask({ kind: "TrendsQuery", ...node }) as Promise<TrendsResponse>;

/** The ids of those behind a point of trends, and how many events each has. */
async function behind(node: JsonObject, point: JsonObject): Promise<[string, number][]> {
  const source = { kind: "InsightActorsQuery", source: { kind: "TrendsQuery", ...node }, ...point };
  const select = ["actor_id", "event_count"];
  const answer = (await ask({ kind: "ActorsQuery", source, select, limit: 1000 })) as unknown as Listed;
  return answer.results as [string, number][];
}

const DISPLAYS = ["ActionsLineGraph", "ActionsLineGraphCumulative", "BoldNumber"];
const BREAKDOWNS: (JsonObject | null)[] = [
  null,
  { breakdown: "$group_0", breakdown_type: "event" },
  { breakdown: "$group_0", breakdown_type: "event", breakdown_limit: 1 },
  { breakdowns: [{ property: "$group_0" }, { property: "age", type: "person", histogram_bin_count: 2 }] },
];
const MATHS = ["total", "dau", "weekly_active", "monthly_active", "unique_group", "first_time_for_user"];
/** Intervals that are asked for with a breakdown, and without. */
const INTERVALS = { told: ["day"], untold: ["hour", "day", "week"] };

/** Every point of an answer: what names it, and its number. */
function pointsOf({ results }: TrendsResponse): { point: JsonObject; value: number }[] {
  return results.flatMap((item: TrendsItem) => {
    const breakdown = (item.breakdown_value ?? null) as Json;
    const compare = item.compare_label ?? null;
    if (item.aggregated_value !== undefined) return [{ point: { breakdown, compare }, value: item.aggregated_value! }];
    return item.data!.map((value, i) => ({ point: { breakdown, compare, day: item.days![i]! }, value }));
  });
}

const isOther = ({ breakdown }: JsonObject): boolean => [breakdown].flat().includes("$$_posthog_breakdown_other_$$");

describe.each(MATHS)("behind %s", (math) => {
  const all = DISPLAYS.flatMap((display) =>
    BREAKDOWNS.flatMap((by) => (by === null ? INTERVALS.untold : INTERVALS.told).map((i) => [display, by, i] as const)),
  );
  test.each(all)(
    "a point has as many actors as it counts: %s by %j, each %s",
    async (display, breakdownFilter, interval) => {
      const series = [{ kind: "EventsNode", math, math_group_type_index: 0 }];
      const dateRange = { date_from: "2020-01-10", date_to: "2020-01-11" };
      const node = { series, breakdownFilter, interval, dateRange, trendsFilter: { display } };
      const points = pointsOf(await trends(node));
      // The window of a week's first day holds nothing yet.
      if (!(interval === "week" && math === "monthly_active")) expect(points.length).toBeGreaterThan(0);
      for (const { point, value } of points.filter((_, i) => interval !== "hour" || i % 7 === 5)) {
        const actors = await behind(node, point);
        const events = actors.reduce((sum, [, count]) => sum + count, 0);
        const isSum = isOther(point) || (display === "ActionsLineGraphCumulative" && math.endsWith("_active"));
        if (math === "total" || !isSum)
          expect([point, math === "total" ? events : actors.length]).toEqual([point, value]);
        // The numbers of several values, or days, are added: who is in two of them counts twice.
        else expect([point, actors.length <= value, actors.length > 0]).toEqual([point, true, value > 0]);
        expect(new Set(actors.map(([id]) => id)).size).toBe(actors.length);
      }
    },
  );
});

const SERIES: JsonObject = { series: [{ kind: "EventsNode", math: "total" }], trendsFilter: { display: "BoldNumber" } };
const SOURCE = { kind: "InsightActorsQuery", source: { kind: "TrendsQuery", ...SERIES } };
const list = async (more: JsonObject) =>
  (await ask({ kind: "ActorsQuery", source: SOURCE, ...more })) as unknown as Listed;

describe("a list of actors", () => {
  test("tells persons by their ids after merges, and only once where they did several things", async () => {
    const { results } = await list({ select: ["id"] });
    expect(results.map(([id]) => String(id)).sort()).toEqual(
      (await rows("select distinct person_id from events")).map(([id]) => String(id)).sort(),
    );
  });

  test("shows what is known of a person; of one without a record the id", async () => {
    const { results, columns, missing_actors_count } = await list({});
    expect(columns).toEqual(["person", "id", "person.$delete", "event_distinct_ids"]);
    const people = new Map(results.map(([person, id]) => [id, person as JsonObject]));
    expect(people.get(ANN)).toMatchObject({
      id: ANN,
      is_identified: true,
      distinct_ids: ["ann", "anon"],
      properties: { email: "ann@a.com" },
    });
    expect(missing_actors_count).toBe(1);
    expect([...people.values()].filter((person) => Object.keys(person).length === 1)).toHaveLength(1);
  });

  test("is searched, filtered, ordered and paged", async () => {
    const ids = async (more: JsonObject) => (await list({ select: ["id"], ...more })).results.map(([id]) => id);
    expect(await ids({ search: "B@B.c" })).toEqual([BOB]);
    expect(await ids({ search: "anon" })).toEqual([ANN]);
    expect(await ids({ properties: [{ key: "vip", value: "true", type: "person" }] })).toEqual([ANN]);
    expect((await ids({ orderBy: ["person DESC"] })).slice(0, 2)).toEqual([BOB, ANN]);
    expect(await ids({ orderBy: ["event_count DESC", "id"], limit: 1 })).toEqual([BOB]);
    const all = await ids({ orderBy: ["id"] });
    expect([
      ...(await ids({ orderBy: ["id"], limit: 2 })),
      ...(await ids({ orderBy: ["id"], limit: 2, offset: 2 })),
    ]).toEqual(all);
  });

  test("selects and groups by HogQL", async () => {
    const { results } = await list({ select: ["properties.email", "event_count"], orderBy: ["event_count DESC"] });
    expect(results[0]).toEqual(["bob@b.com", 3]);
    const grouped = await list({ select: ["count()", "is_identified"] });
    expect(grouped.results.map(([count]) => Number(count)).reduce((a, b) => a + b)).toBe(3);
  });

  test("names the events of an actor", async () => {
    const { results } = await list({ select: ["id", "matching_events"], search: "anon" });
    const [[, events]] = results as [[string, Json[][]]];
    expect(events.map((event) => event.length)).toEqual([4, 4]);
  });

  test("is one of groups where groups are counted", async () => {
    const source = { ...SOURCE, source: { ...SOURCE.source, aggregation_group_type_index: 0 } };
    const { results, columns } = (await ask({ kind: "ActorsQuery", source, properties: [] })) as unknown as Listed;
    expect(columns).toEqual(["group"]);
    expect(results).toMatchObject([
      [{ id: "acme", type: "group", group_type_index: 0, properties: { industry: "steel" } }],
      [{ id: "none" }],
    ]);
  });

  test("is one of all persons without a source, or of those of a query", async () => {
    const all = (await ask({ kind: "ActorsQuery", select: ["id"], orderBy: ["created_at"] })) as unknown as Listed;
    expect(all.results).toHaveLength(3);
    const query = "select person_id, count() from events where event = 'buy' group by person_id";
    const some = (await ask({
      kind: "ActorsQuery",
      source: { kind: "HogQLQuery", query },
      select: ["id"],
    })) as unknown as Listed;
    expect(some.results.map(([id]) => id).sort()).toEqual([ANN, BOB].sort());
  });
});

test("the parts that actors can be asked for are told", async () => {
  const node = { ...SERIES, trendsFilter: null, dateRange: { date_from: "2020-01-10", date_to: "2020-01-11" } };
  const breakdownFilter = { breakdown: "$group_0" };
  const insight = { kind: "TrendsQuery", ...node, breakdownFilter, compareFilter: { compare: true } };
  const source = { kind: "InsightActorsQuery", source: insight };
  expect(await ask({ kind: "InsightActorsQueryOptions", source })).toMatchObject({
    series: [{ label: "All events", value: 0 }],
    day: [
      { label: "10-Jan-2020", value: "2020-01-10" },
      { label: "11-Jan-2020", value: "2020-01-11" },
    ],
    compare: [
      { label: "Current", value: "current" },
      { label: "Previous", value: "previous" },
    ],
    breakdown: [{ value: "acme" }, { value: "none" }, { value: "$$_posthog_breakdown_null_$$" }],
  });
});

test.each<[JsonObject, string]>([
  [{ source: { kind: "EventsQuery" } }, 'source.kind: the source "EventsQuery" is not supported yet'],
  [
    { source: { kind: "InsightActorsQuery", source: { kind: "EventsQuery" } } },
    'source.source.kind: actors of "EventsQuery" is not supported yet',
  ],
  [{ source: { ...SOURCE, day: "2020-01-11", status: "new" } }, 'source.status: Expected null, not "new"'],
  [{ source: { ...SOURCE, series: 3 } }, "source.series: there is no series 3 of the current period"],
  [{ source: { ...SOURCE, compare: "previous" } }, "source.series: there is no series 0 of the previous period"],
  [
    { source: { kind: "HogQLQuery", query: "select event from events" } },
    "source.query: must have a column of the ids of persons, named actor_id",
  ],
  [{ orderBys: [] }, "orderBys: unknown field"],
  [
    {
      source: { ...SOURCE, source: { ...SOURCE.source, aggregation_group_type_index: 0 } },
      properties: [{ key: "email", type: "person", value: "a" }],
    },
    "properties: groups are not filtered here",
  ],
  [
    { kind: "InsightActorsQueryOptions", source: SOURCE.source },
    'source.kind: the source "TrendsQuery" is not supported yet',
  ],
  [
    { source: { ...SOURCE, source: { ...SOURCE.source, aggregation_group_type_index: 5 } } },
    "source.source.aggregation_group_type_index: Expected integer to be less or equal to 4, not 5",
  ],
])("%j is refused", async (node, message) => {
  const failed = await failure(ask({ kind: "ActorsQuery", ...node }));
  expect([failed.code, failed.message]).toEqual(["invalid_query", message]);
});
