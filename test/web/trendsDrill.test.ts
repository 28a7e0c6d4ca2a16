import { afterAll, describe, expect, test } from "bun:test";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import type { JsonObject } from "../../src/types/mod.ts";
import type { QueryAnswer, QueryNode } from "../../src/web/app/api/node.ts";
import type { Drill } from "../../src/web/app/kinds/drill.ts";
import { countNode } from "../../src/web/app/kinds/people/peopleQuery.ts";
import { calendarOf } from "../../src/web/app/kinds/trends/calendar.ts";
import { cellDrillOf, drillOf } from "../../src/web/app/kinds/trends/drill.ts";
import { linesOf } from "../../src/web/app/kinds/trends/lines.ts";
import type { TrendsNode } from "../../src/web/app/kinds/trends/types.ts";
import { contextOf } from "../query/support.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";

// Behind every number of a trend there are as many people, or events, as it says: asked of the engine itself.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.parse("2024-03-15T15:20:00Z");
const PEOPLE = 40;

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length]!;

/** Some people do much on many days, some little. */
const events: TestEvent[] = Array.from({ length: PEOPLE }, (_, person) =>
  Array.from({ length: 1 + ((person * 7) % 13) }, (_, at) => ({
    event: pick(["see", "see", "buy"], person + at),
    distinctId: `p${person}`,
    timestampMs: NOW_MS - ((person * 5 + at * 3) % 21) * DAY_MS - ((person + at) % 9) * HOUR_MS,
    properties: {
      country: pick(["US", "FR", "DE", null], person),
      plan: pick(["free", "team", "big"], person * 3 + at),
      $group_0: pick(["acme", "umbrella"], person),
    },
  })),
).flat();

const lake = await MemoryLake.open(events);
await lake.addPersons(
  Array.from({ length: PEOPLE }, (_, i) => ({
    distinctIds: [`p${i}`],
    createdAtMs: NOW_MS - 30 * DAY_MS,
    properties: {},
  })),
);
await lake.addGroups(["acme", "umbrella"].map((key) => ({ index: 0, key, createdAtMs: NOW_MS - 9 * DAY_MS })));
afterAll(async () => {
  closeParser();
  await lake.close();
});
const context = contextOf(lake, { nowMs: NOW_MS });

async function ask(node: QueryNode): Promise<QueryAnswer> {
  const answer = await runQuery(JSON.parse(JSON.stringify(node)) as JsonObject, context);
  return { last_refresh: new Date(NOW_MS).toISOString(), timezone: "UTC", ...answer } as unknown as QueryAnswer;
}

/** How many people are behind a number, and how many of their events count: as the dialog asks it. */
async function behind({ source }: Drill): Promise<number[]> {
  const { results } = await ask(countNode({ source, search: "", order: "id" }));
  return (results as number[][])[0]!;
}

/** Every number of the answer that can be clicked. */
async function drillsOf(node: TrendsNode): Promise<readonly Drill[]> {
  const lines = linesOf(node, await ask(node));
  return lines.flatMap((line) => {
    const calendar = calendarOf(line.item);
    if (calendar !== null) {
      return calendar.rows.flatMap(({ values }, row) =>
        values.map((_, column) => cellDrillOf(node, line, calendar, row, column)),
      );
    }
    const places = line.item.days.length === 0 ? [null] : line.item.days.map((_, index) => index);
    return places.map((index) => drillOf(node, line, index, "UTC"));
  });
}

const see = (more: object = {}) => ({ kind: "EventsNode" as const, event: "see", ...more });
const node = (more: Partial<TrendsNode>): TrendsNode => ({
  kind: "TrendsQuery",
  series: [see()],
  dateRange: { date_from: "-14d" },
  ...more,
});
const COUNTRY = { breakdownFilter: { breakdowns: [{ type: "event", property: "country" }] } };
const dau = { series: [see({ math: "dau" }), { kind: "EventsNode" as const, event: "buy", math: "dau" }] };

describe("as many people as the number", () => {
  test.each<[string, TrendsNode]>([
    ["a line", node(dau)],
    ["by week", node({ ...dau, interval: "week" })],
    ["weekly actives", node({ series: [see({ math: "weekly_active" })] })],
    ["groups", node({ series: [see({ math: "unique_group", math_group_type_index: 0 })] })],
    ["first times", node({ series: [see({ math: "first_time_for_user" })] })],
    ["a breakdown", node({ ...dau, ...COUNTRY })],
    [
      "two breakdowns",
      node({
        ...dau,
        breakdownFilter: {
          breakdowns: [
            { type: "event", property: "country" },
            { type: "event", property: "plan" },
          ],
        },
      }),
    ],
    ["compared", node({ ...dau, dateRange: { date_from: "-7d" }, compareFilter: { compare: true } })],
    ["a running total", node({ ...dau, trendsFilter: { display: "ActionsLineGraphCumulative" } })],
    ["one number", node({ ...dau, trendsFilter: { display: "BoldNumber" }, compareFilter: { compare: true } })],
    ["a pie", node({ ...dau, ...COUNTRY, trendsFilter: { display: "ActionsPie" } })],
    ["a calendar", node({ ...dau, trendsFilter: { display: "CalendarHeatmap" } })],
  ])("%s", async (_, asked) => {
    const drills = await drillsOf(asked);
    expect(drills.some(({ count }) => (count ?? 0) > 0)).toBe(true);
    for (const drill of drills) {
      const [people] = await behind(drill);
      expect([drill.title, people]).toEqual([drill.title, drill.count!]);
    }
  });
});

describe("as many events as the number", () => {
  test.each<[string, TrendsNode]>([
    ["a line", node({})],
    ["a breakdown with the others", node({ breakdownFilter: { ...COUNTRY.breakdownFilter, breakdown_limit: 1 } })],
    ["one number", node({ trendsFilter: { display: "ActionsTable" } })],
  ])("%s", async (_, asked) => {
    const drills = await drillsOf(asked);
    expect(drills.some(({ events }) => (events ?? 0) > 0)).toBe(true);
    for (const drill of drills) {
      const [people, counted] = await behind(drill);
      expect([drill.title, counted ?? 0]).toEqual([drill.title, drill.events!]);
      expect(people! > 0).toBe(drill.events! > 0);
    }
  });
});

test("people of several values in “Other” are fewer, never more", async () => {
  const drills = await drillsOf(
    node({ ...dau, breakdownFilter: { breakdowns: [{ type: "event", property: "plan" }], breakdown_limit: 1 } }),
  );
  for (const drill of drills) {
    const [people] = await behind(drill);
    expect(people).toBeLessThanOrEqual(drill.count!);
  }
});

test("a formula leads to the people of each of its letters", async () => {
  const [drill] = await drillsOf(node({ ...dau, trendsFilter: { formulaNodes: [{ formula: "B / A" }] } }));
  expect(drill?.choices?.map(({ label }) => label)).toEqual(["A see", "B buy"]);
  for (const { source } of drill?.choices ?? []) await behind({ title: "", count: null, source });
});

test.each<[string, Partial<TrendsNode>]>([
  ["averages of several", { ...dau, trendsFilter: { smoothingIntervals: 3 } }],
  ["sums", { series: [see({ math: "sum", math_property: "price" })] }],
  ["samples", { ...dau, samplingFactor: 0.5 }],
])("%s promise no number of people", async (_, more) => {
  const drills = await drillsOf(node(more));
  expect(drills.every(({ count, events: counted }) => count === null && (counted ?? null) === null)).toBe(true);
});
