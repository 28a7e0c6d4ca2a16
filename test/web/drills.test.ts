import { afterAll, expect, test } from "bun:test";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import { type JsonObject, personIdOf } from "../../src/types/mod.ts";
import type { QueryAnswer, QueryNode } from "../../src/web/app/api/node.ts";
import type { Drill } from "../../src/web/app/kinds/drill.ts";
import { stepGroups, timesOf, trendSeries } from "../../src/web/app/kinds/funnels/answer.ts";
import {
  type Compared,
  type CorrelationResults,
  correlationDrill,
  correlationNode,
} from "../../src/web/app/kinds/funnels/correlationDrill.ts";
import { binDrill, stepDrill, trendDrill } from "../../src/web/app/kinds/funnels/drill.ts";
import { type FunnelsFilter, type FunnelsNode, requiredBefore } from "../../src/web/app/kinds/funnels/node.ts";
import { shownItems } from "../../src/web/app/kinds/lifecycle/answer.ts";
import { partDrill } from "../../src/web/app/kinds/lifecycle/drill.ts";
import type { LifecycleNode } from "../../src/web/app/kinds/lifecycle/node.ts";
import { graphOf } from "../../src/web/app/kinds/paths/answer.ts";
import { edgeDrill, STEP_DRILLS } from "../../src/web/app/kinds/paths/drill.ts";
import type { PathsFilter, PathsNode } from "../../src/web/app/kinds/paths/node.ts";
import { tablesOf } from "../../src/web/app/kinds/retention/answer.ts";
import { cellDrill } from "../../src/web/app/kinds/retention/drill.ts";
import type { RetentionNode } from "../../src/web/app/kinds/retention/node.ts";
import { itemsOf } from "../../src/web/app/kinds/stickiness/answer.ts";
import { barDrill } from "../../src/web/app/kinds/stickiness/drill.ts";
import type { StickinessNode } from "../../src/web/app/kinds/stickiness/node.ts";
import { contextOf, failure } from "../query/support.ts";
import { MemoryLake, type TestEvent } from "../support/memoryLake.ts";

// Behind every number that can be clicked there are as many people as it says: the drills of the pages, asked of the engine itself.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.parse("2024-03-15T15:20:00Z");
const PEOPLE = 60;
const DAYS = 24;

/** The same numbers in each run. */
function seeded(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const chance = seeded(7);
const pick = <T>(values: readonly T[]): T => values[chance(values.length)]!;

function eventsOf(person: number): TestEvent[] {
  const plan = pick(["free", "team", "", null, "big"]);
  const company = pick(["acme", "umbrella", "initech"]);
  return Array.from({ length: 3 + chance(30) }, () => {
    const event = pick(["see", "see", "see", "try", "try", "buy", "oops", "$pageview", "$pageview", "$pageview"]);
    const timestampMs = NOW_MS - chance(DAYS) * DAY_MS - chance(20) * HOUR_MS - chance(3_600) * 1000;
    return {
      event,
      distinctId: `p${person}`,
      timestampMs,
      properties: {
        plan: chance(4) === 0 ? pick(["free", "team"]) : plan,
        price: 1 + chance(9),
        browser: pick(["Chrome", "Firefox", "Safari"]),
        $current_url: `https://a.example/${pick(["", "docs", "docs/2", "buy", "price"])}`,
        $group_0: company,
      },
    };
  });
}

const lake = await MemoryLake.open(Array.from({ length: PEOPLE }, (_, i) => eventsOf(i)).flat());
await lake.addPersons(
  Array.from({ length: PEOPLE }, (_, i) => ({
    distinctIds: [`p${i}`],
    createdAtMs: NOW_MS - chance(DAYS) * DAY_MS,
    properties: { city: pick(["Rome", "Oslo"]), ...(chance(3) > 0 && { role: pick(["dev", "sales", "a::b"]) }) },
  })),
);
await lake.addGroups(
  ["acme", "umbrella", "initech"].map((key) => ({ index: 0, key, createdAtMs: NOW_MS - 9 * DAY_MS })),
);
afterAll(async () => {
  closeParser();
  await lake.close();
});

const context = contextOf(lake, { nowMs: NOW_MS });
const plain = (node: unknown): JsonObject => JSON.parse(JSON.stringify(node));

async function ask(node: QueryNode): Promise<QueryAnswer> {
  const answer = await runQuery(plain(node), context);
  return { last_refresh: new Date(NOW_MS).toISOString(), timezone: "UTC", ...answer } as unknown as QueryAnswer;
}

/** The people of a drill, each once. */
async function peopleOf({ source }: Drill, select = ["id"]): Promise<unknown[][]> {
  const { results } = await ask({ kind: "ActorsQuery", source, select, limit: 10_000 });
  return results as unknown[][];
}

/** Each drill has as many people as the number, and the number is that which is shown. */
async function check(drills: readonly { drill: Drill; shown: number }[]): Promise<void> {
  expect(drills.length).toBeGreaterThan(0);
  expect(drills.some(({ shown }) => shown > 0)).toBe(true);
  for (const { drill, shown } of drills) {
    expect([drill.title, drill.count]).toEqual([drill.title, shown]);
    const people = await peopleOf(drill);
    expect([drill.title, people.length]).toEqual([drill.title, shown]);
    expect(new Set(people.map(([id]) => id)).size).toBe(people.length);
  }
}

const event = (name: string | null, more: object = {}) => ({ kind: "EventsNode" as const, event: name, ...more });
const DATES = { dateRange: { date_from: "-20d" } };

const FUNNEL: FunnelsNode = {
  kind: "FunnelsQuery",
  series: ["see", "try", "buy"].map((name) => event(name)),
  ...DATES,
};
const PLAN = { breakdownFilter: { breakdowns: [{ type: "event", property: "plan" }] } };
const filters = (funnelsFilter: FunnelsFilter, more: object = {}): FunnelsNode => ({
  ...FUNNEL,
  funnelsFilter,
  ...more,
});

test.each<[string, FunnelsNode]>([
  ["in order", FUNNEL],
  ["strict", filters({ funnelOrderType: "strict" })],
  ["in any order", filters({ funnelOrderType: "unordered" })],
  ["in two hours", filters({ funnelWindowInterval: 2, funnelWindowIntervalUnit: "hour" })],
  ["an exclusion", filters({ exclusions: [{ ...event("oops"), funnelFromStep: 0, funnelToStep: 2 }] })],
  [
    "an optional step",
    filters({}, { series: [event("see"), event("oops", { optionalInFunnel: true }), event("buy")] }),
  ],
  ["first times", filters({}, { series: [event("see", { math: "first_time_for_user" }), event("buy")] })],
  ["compared", filters({}, { dateRange: { date_from: "-6d" }, compareFilter: { compare: true } })],
  ["broken down", filters({}, PLAN)],
  [
    "broken down by two",
    filters(
      {},
      { breakdownFilter: { breakdowns: [...PLAN.breakdownFilter.breakdowns, { type: "person", property: "city" }] } },
    ),
  ],
  ["broken down, with others", filters({}, { breakdownFilter: { ...PLAN.breakdownFilter, breakdown_limit: 1 } })],
  ["the last value", filters({ breakdownAttributionType: "last_touch" }, PLAN)],
  ["every value", filters({ breakdownAttributionType: "all_events" }, PLAN)],
  ["the value of a step", filters({ breakdownAttributionType: "step", breakdownAttributionValue: 1 }, PLAN)],
  ["groups", filters({}, { aggregation_group_type_index: 0 })],
  ["what HogQL names", filters({ funnelAggregateByHogQL: "properties.browser" })],
])("steps of a funnel: %s", async (_, node) => {
  const groups = stepGroups(await ask(node));
  await check(
    groups.flatMap((group) =>
      group.steps.flatMap(({ count }, step) => [
        { drill: stepDrill(node, group, step, false), shown: count },
        ...(step === 0
          ? []
          : [
              {
                drill: stepDrill(node, group, step, true),
                shown: group.steps[requiredBefore(node, step)]!.count - count,
              },
            ]),
      ]),
    ),
  );
});

test.each<[string, FunnelsNode]>([
  ["in order", FUNNEL],
  ["in any order", filters({ funnelOrderType: "unordered" })],
  ["broken down", filters({}, PLAN)],
  ["groups", filters({}, { aggregation_group_type_index: 0 })],
])("the paths from a step of a funnel are of its people: %s", async (_, node) => {
  const groups = stepGroups(await ask(node));
  let edges = 0;
  for (const [step] of groups[0]!.steps.entries()) {
    for (const isDropped of step === 0 ? [false] : [false, true]) {
      const all = await Promise.all(groups.map((group) => peopleOf(stepDrill(node, group, step, isDropped))));
      const people = new Set(all.flat().map(([id]) => id));
      for (const further of stepDrill(node, groups[0]!, step, isDropped).paths!) {
        const paths = further.node as PathsNode;
        const { steps, links } = graphOf(paths, await ask(paths));
        edges += links.length;
        for (const { source, target, edge } of links.slice(0, 3)) {
          const labels = { source: steps[source]!.label, target: steps[target]!.label };
          const walkers = await peopleOf(edgeDrill(paths, edge, labels));
          expect(walkers.length).toBeGreaterThan(0);
          expect([further.label, walkers.filter(([id]) => !people.has(id))]).toEqual([further.label, []]);
        }
      }
    }
  }
  expect(edges).toBeGreaterThan(0);
});

test("nothing is asked further where paths cannot", async () => {
  const node = filters({ funnelAggregateByHogQL: "properties.browser" });
  const [group] = stepGroups(await ask(node));
  expect(stepDrill(node, group!, 1, false).paths).toEqual([]);
  const compared = filters({}, { dateRange: { date_from: "-6d" }, compareFilter: { compare: true } });
  const before = stepGroups(await ask(compared)).find(({ isPrevious }) => isPrevious);
  expect(stepDrill(compared, before!, 1, true).paths).toBeUndefined();
});

test.each<[string, FunnelsNode]>([
  ["plain", filters({ funnelVizType: "trends" })],
  ["by weeks, of the last steps", filters({ funnelVizType: "trends", funnelFromStep: 1 }, { interval: "week" })],
  ["broken down", filters({ funnelVizType: "trends" }, { ...PLAN, interval: "week" })],
  [
    "compared",
    filters({ funnelVizType: "trends" }, { dateRange: { date_from: "-6d" }, compareFilter: { compare: true } }),
  ],
])("a funnel over time: %s", async (_, node) => {
  const all = trendSeries(await ask(node));
  await check(
    all.flatMap((series) =>
      series.item.days.flatMap((when, i) => [
        {
          drill: trendDrill(node, series, i, { isDropped: false, when, zone: "UTC" }),
          shown: series.item.reached_to_step_count[i]!,
        },
        {
          drill: trendDrill(node, series, i, { isDropped: true, when, zone: "UTC" }),
          shown: series.item.reached_from_step_count[i]! - series.item.reached_to_step_count[i]!,
        },
      ]),
    ),
  );
});

test.each<[string, FunnelsNode]>([
  ["plain", filters({ funnelVizType: "time_to_convert" })],
  ["many bins", filters({ funnelVizType: "time_to_convert", binCount: 40 })],
  ["of the last steps", filters({ funnelVizType: "time_to_convert", funnelFromStep: 1 })],
  ["in any order", filters({ funnelVizType: "time_to_convert", funnelOrderType: "unordered" })],
  ["with a breakdown, which changes nothing", filters({ funnelVizType: "time_to_convert" }, PLAN)],
  [
    "compared",
    filters(
      { funnelVizType: "time_to_convert" },
      { dateRange: { date_from: "-6d" }, compareFilter: { compare: true } },
    ),
  ],
])("times to convert: %s", async (_, node) => {
  const periods = timesOf(await ask(node));
  await check(
    periods.flatMap(({ bins, ...of }) => bins.map((bin) => ({ drill: binDrill(node, of, bin), shown: bin.count }))),
  );
});

test.each<Compared>([
  { type: "events" },
  { type: "properties" },
  { type: "event_with_properties", event: "$pageview" },
])("what goes with converting: $type", async (compared) => {
  const node = filters({ funnelWindowInterval: 4 });
  const { events } = (await ask(correlationNode(node, compared))).results as CorrelationResults;
  const all = events.flatMap((one) => [
    { drill: correlationDrill(node, compared, one, true), shown: one.success_count },
    { drill: correlationDrill(node, compared, one, false), shown: one.failure_count },
  ]);
  await check(all.flatMap(({ drill, shown }) => (drill === null ? [] : [{ drill, shown }])));
  const isLost = events.filter((one) => correlationDrill(node, compared, one, true) === null);
  expect(isLost.every(({ event: { event: name } }) => /::(null)?$/.test(name))).toBe(true);
});

const retention = (retentionFilter: object, more: object = {}): RetentionNode => ({
  kind: "RetentionQuery",
  retentionFilter: {
    totalIntervals: 6,
    targetEntity: { id: "see", type: "events" },
    returningEntity: { id: null, type: "events" },
    ...retentionFilter,
  },
  ...more,
});

test.each<[string, RetentionNode]>([
  ["by days", retention({})],
  ["by weeks", retention({ period: "Week", totalIntervals: 3 })],
  ["first times", retention({ retentionType: "retention_first_time" })],
  ["the first ever", retention({ retentionType: "retention_first_ever_occurrence" })],
  ["cumulative", retention({ cumulative: true })],
  ["of two events", retention({ minimumOccurrences: 2 })],
  ["brackets", retention({ retentionCustomBrackets: [1, 2, 3] }, { dateRange: { date_from: "-9d" } })],
  ["windows", retention({ timeWindowMode: "24_hour_windows" })],
  ["broken down", retention({}, PLAN)],
  ["groups", retention({}, { aggregation_group_type_index: 0 })],
])("cells of retention: %s", async (_, node) => {
  const answer = await ask(node);
  await check(
    tablesOf(node, answer).flatMap((table) =>
      table.cohorts.flatMap((cohort) =>
        cohort.cells.flatMap(({ people }, column) =>
          people === null ? [] : [{ drill: cellDrill(node, table, cohort, column, cohort.item.date), shown: people }],
        ),
      ),
    ),
  );
});

test("times that have not come are no cells of retention", async () => {
  const node = retention({});
  const [table] = tablesOf(node, await ask(node));
  expect(table!.cohorts.map(({ cells }) => cells.filter(({ people }) => people !== null).length)).toEqual([
    6, 5, 4, 3, 2, 1,
  ]);
  expect(
    table!.cohorts.map(({ cells }) => cells.filter((cell) => cell.people !== null && cell.isIncomplete).length),
  ).toEqual([1, 1, 1, 1, 1, 1]);
});

test("a sum of retention is no number of people", async () => {
  const node = retention({ aggregationType: "sum", aggregationProperty: "price" });
  const [table] = tablesOf(node, await ask(node));
  expect(cellDrill(node, table!, table!.cohorts[0]!, 1, "").count).toBe(null);
});

test("a column of retention that there is not is refused", async () => {
  const source = { kind: "InsightActorsQuery", source: retention({}), interval: 0, column: 6 };
  const { message } = await failure(ask({ kind: "ActorsQuery", source }));
  expect(message).toBe("source.column: there are 6 columns, from 0 on");
});

const paths = (pathsFilter: PathsFilter, more: object = {}): PathsNode => ({
  kind: "PathsQuery",
  ...DATES,
  pathsFilter,
  ...more,
});

test.each<[string, PathsNode]>([
  ["of all events", paths({})],
  ["of pages", paths({ includeEventTypes: ["$pageview"] })],
  ["from a page on", paths({ includeEventTypes: ["$pageview"], startPoint: "https://a.example/docs" })],
  [
    "wildcards",
    paths({ includeEventTypes: ["$pageview"], pathGroupings: ["/docs*"], excludeEvents: ["https://a.example/buy"] }),
  ],
  [
    "of those who dropped off",
    paths(
      {},
      { funnelPathsFilter: { funnelPathType: "funnel_path_after_step", funnelSource: FUNNEL, funnelStep: -3 } },
    ),
  ],
])("edges and steps of paths: %s", async (_, node) => {
  const { steps, links } = graphOf(node, await ask(node));
  expect(links.length).toBeGreaterThan(0);
  const eventsOf = async (drill: Drill) => {
    expect(drill.count).toBe(null);
    const rows = await peopleOf(drill, ["id", "event_count"]);
    return rows.reduce((sum, [, count]) => sum + Number(count), 0);
  };
  for (const { source, target, edge } of links) {
    const labels = { source: steps[source]!.label, target: steps[target]!.label };
    const drill = edgeDrill(node, edge, labels);
    expect(drill.events).toBe(edge.value);
    expect([edge, await eventsOf(drill)]).toEqual([edge, edge.value]);
  }
  for (const step of steps.filter(({ layer }) => layer > 0)) {
    const [were, wentOn, left] = await Promise.all(STEP_DRILLS.map(({ of }) => eventsOf(of(node, step))));
    expect([step.key, wentOn! + left!]).toEqual([step.key, were!]);
  }
});

const sticky = (more: object): StickinessNode => ({
  kind: "StickinessQuery",
  series: [event("see"), event(null)],
  ...DATES,
  ...more,
});

test.each<[string, StickinessNode]>([
  ["by days", sticky({})],
  ["by weeks, two at once", sticky({ interval: "week", intervalCount: 2 })],
  ["of two events", sticky({ stickinessFilter: { stickinessCriteria: { operator: "gte", value: 2 } } })],
  ["cumulative", sticky({ stickinessFilter: { computedAs: "cumulative" } })],
  ["compared", sticky({ dateRange: { date_from: "-6d" }, compareFilter: { compare: true } })],
  ["groups", sticky({ aggregation_group_type_index: 0 })],
])("bars of stickiness: %s", async (_, node) => {
  const items = itemsOf(await ask(node));
  await check(items.flatMap((item) => item.data.map((shown, i) => ({ drill: barDrill(node, item, i), shown }))));
});

const lifecycle = (more: object): LifecycleNode => ({
  kind: "LifecycleQuery",
  series: [event(null)],
  ...DATES,
  ...more,
});

test.each<[string, LifecycleNode]>([
  ["by days", lifecycle({})],
  ["by weeks", lifecycle({ interval: "week" })],
  ["two of the four", lifecycle({ lifecycleFilter: { toggledLifecycles: ["new", "dormant"] } })],
  ["groups", lifecycle({ aggregation_group_type_index: 0, interval: "week" })],
])("parts of a lifecycle: %s", async (_, node) => {
  const items = shownItems(node, await ask(node));
  await check(
    items.flatMap((item) =>
      item.data.map((shown, i) => ({
        drill: partDrill(node, item, i, { when: item.days[i]!, zone: "UTC" }),
        shown: Math.abs(shown),
      })),
    ),
  );
});

test("a sample stands for more people than are listed", async () => {
  const node = filters({}, { samplingFactor: 0.5 });
  const [group] = stepGroups(await ask(node));
  expect(stepDrill(node, group!, 0, false).count).toBe(null);
});

test("people are listed by their ids", async () => {
  const [group] = stepGroups(await ask(FUNNEL));
  const ids = (await peopleOf(stepDrill(FUNNEL, group!, 0, false))).map(([id]) => id);
  const all = new Set(Array.from({ length: PEOPLE }, (_, i) => personIdOf(1, `p${i}`)));
  expect(ids.every((id) => all.has(String(id)))).toBe(true);
});
