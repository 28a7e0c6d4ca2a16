import { afterAll, describe, expect, test } from "bun:test";
import type { PathsResponse } from "../../src/query/kinds/paths/run.ts";
import { nodeOfLegacy, ParsedQuery, type QueryContext, runQuery } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { actorsOf } from "./pathsCases.ts";
import { contextOf, emptyLake, failure, hogql } from "./support.ts";

const START_MS = Date.parse("2024-01-01T10:00:00Z");
const MINUTE_MS = 60_000;
const NOW: Partial<QueryContext> = { nowMs: START_MS + 8 * 60 * MINUTE_MS };

const page = (distinctId: string, minute: number, url: string | null) => ({
  event: "$pageview",
  distinctId,
  timestampMs: START_MS + minute * MINUTE_MS,
  properties: { $current_url: url, $session_id: `session of ${distinctId}` },
});

const lake = await MemoryLake.open([
  page("a", 0, "/"),
  page("a", 1, "/docs/"),
  page("a", 3, "/docs"),
  page("a", 5, "/docs/2"),
  page("a", 35, "/"),
  page("a", 64, "/buy"),
  page("b", 0, "/"),
  page("b", 1, "/docs"),
  page("b", 2, "/docs/1"),
  page("b", 3, "/docs/2"),
  page("b", 4, "/buy"),
  page("b", 5, null),
  page("c", 0, "/docs/1"),
]);
afterAll(() => lake.close());

const context = contextOf(lake, NOW);
const paths = (pathsFilter: JsonObject, more: JsonObject = {}, o: Partial<QueryContext> = {}) =>
  runQuery({ kind: "PathsQuery", pathsFilter, ...more }, contextOf(lake, { ...NOW, ...o })) as Promise<PathsResponse>;

async function edges(pathsFilter: JsonObject, more: JsonObject = {}, o: Partial<QueryContext> = {}): Promise<string[]> {
  const { results } = await paths(pathsFilter, more, o);
  return results.map(({ source, target, value, average_conversion_time: ms }) => `${source} ${target} ${value} ${ms}`);
}

describe("paths", () => {
  test("end with a pause of half an hour; of steps that repeat each other the last counts", async () => {
    expect(await edges({})).toEqual([
      "1_/ 2_/docs 2 120000",
      "1_/ 2_/buy 1 1740000",
      "2_/docs 3_/docs/1 1 60000",
      "2_/docs 3_/docs/2 1 120000",
      "3_/docs/1 4_/docs/2 1 60000",
      "4_/docs/2 5_/buy 1 60000",
    ]);
  });

  test("from and to a step", async () => {
    expect(await edges({ startPoint: "/docs/" })).toEqual([
      "1_/docs 2_/docs/1 1 60000",
      "1_/docs 2_/docs/2 1 120000",
      "2_/docs/1 3_/docs/2 1 60000",
      "3_/docs/2 4_/buy 1 60000",
    ]);
    expect(await edges({ endPoint: "/buy", stepLimit: 2 })).toEqual([
      "1_/ 2_/buy 1 1740000",
      "1_/docs/2 2_/buy 1 60000",
    ]);
    expect(await edges({ startPoint: "/docs", endPoint: "/buy", stepLimit: 2 })).toEqual([
      "1_/docs 2_... 1 60000",
      "2_... 3_/buy 1 120000",
    ]);
    expect(await edges({ startPoint: "/buy", endPoint: "/docs" })).toEqual([]);
  });

  test("of what rules and wildcards make of the steps, in this order", async () => {
    const localPathCleaningFilters = [{ regex: "/(\\d)$", alias: "/page-\\1" }];
    expect(await edges({ localPathCleaningFilters, pathGroupings: ["*page-*"], minEdgeWeight: 2 })).toEqual([
      "1_/ 2_/docs 2 120000",
      "2_/docs 3_*page-* 2 120000",
    ]);
    const pathCleaningFilters = [{ regex: "/docs/.*", alias: "/docs" }];
    const rules = { localPathCleaningFilters: [{ regex: "docs", alias: "d" }], endPoint: "/d", stepLimit: 3 };
    expect(await edges({ ...rules, pathReplacements: true }, {}, { pathCleaningFilters })).toEqual([
      "1_/ 2_/d 2 240000",
    ]);
    expect(await edges(rules, {}, { pathCleaningFilters })).toEqual(["1_/ 2_/d 2 120000"]);
  });

  test("without the edges that nothing leads to, beyond the limit", async () => {
    expect(await edges({ maxEdgeWeight: 1, edgeLimit: 3 })).toEqual(["1_/ 2_/buy 1 1740000"]);
  });

  test("begin with the first day of the range", async () => {
    const dateRange = { date_from: "2024-01-01T10:30:00Z", date_to: "2024-01-01" };
    const { results, resolved_date_range: range } = await paths({}, { dateRange });
    expect(results).toEqual((await paths({})).results);
    expect(range).toEqual({ date_from: "2024-01-01T00:00:00Z", date_to: "2024-01-01T23:59:59.999999Z" });
    expect(await edges({}, { dateRange: { date_from: "2024-01-02", date_to: "2024-01-01" } })).toEqual([]);
  });

  test("of a sample are told as of all", async () => {
    const whole = (await paths({}, { samplingFactor: 1 })).results;
    expect(whole).toEqual((await paths({})).results);
    const { results } = await paths({}, { samplingFactor: 0.5 });
    for (const { value } of results) expect(value % 2).toBe(0);
  });

  test("of nothing are none", async () => {
    expect((await runQuery({ kind: "PathsQuery" }, contextOf(emptyLake))).results).toEqual([]);
  });
});

const FILTERS: JsonObject[] = [
  {},
  { startPoint: "/docs" },
  { endPoint: "/buy", stepLimit: 2 },
  { startPoint: "/", endPoint: "/buy", stepLimit: 3 },
  { includeEventTypes: ["hogql"], pathsHogQLExpression: "upper(properties.$current_url)" },
  { includeEventTypes: ["$pageview", "custom_event"], pathGroupings: ["/docs/*"], excludeEvents: ["/buy"] },
];

describe.each(FILTERS)("of %j", (pathsFilter) => {
  const node = { kind: "PathsQuery", pathsFilter };
  const times = (actors: [string, number][]) => actors.reduce((sum, [, count]) => sum + count, 0);

  test("the people behind an edge have taken it as often as it says; all who leave a step have been there", async () => {
    const { results } = await paths(pathsFilter);
    expect(results.length).toBeGreaterThan(0);
    for (const { source, target, value } of results) {
      const behind = await actorsOf(node, { pathStartKey: source, pathEndKey: target }, context);
      expect(times(behind)).toBe(value);
      const visits = times(await actorsOf(node, { pathEndKey: source }, context));
      const left = results.filter((edge) => edge.source === source).reduce((sum, edge) => sum + edge.value, 0);
      const ended = times(await actorsOf(node, { pathDropoffKey: source }, context));
      expect(left + ended).toBe(visits);
    }
  });

  test("the HogQL gives the same numbers", async () => {
    const { hogql: text, results } = await paths(pathsFilter);
    const rows = results.map((edge) => [edge.source, edge.target, edge.value, edge.average_conversion_time]);
    expect((await hogql(lake, text!, NOW)).results).toEqual(rows);
  });
});

test("actors come with the events by which they are behind a step", async () => {
  const source = { kind: "PathsQuery", pathsFilter: { pathStartKey: "1_/", pathEndKey: "2_/buy" } };
  const select = ["event_count", "event_distinct_ids", "matching_events"];
  const { results } = await runQuery(
    { kind: "ActorsQuery", source: { kind: "InsightActorsQuery", source }, select },
    context,
  );
  expect(results).toEqual([[1, ["a"], [["2024-01-01T11:04:00Z", expect.any(String), "session of a", null]]]]);
});

/** A page of the funnel of all who came from the first page to the one where they buy. */
const pageStep = (value: string): JsonObject => ({
  kind: "EventsNode",
  event: "$pageview",
  properties: [{ key: "$current_url", value, type: "event", operator: "exact" }],
});
const ofFunnel = (type: string, funnelStep: number, funnelsFilter: JsonObject = {}): JsonObject => ({
  funnelPathsFilter: {
    funnelPathType: `funnel_path_${type}`,
    funnelStep,
    funnelSource: {
      kind: "FunnelsQuery",
      series: ["/docs", "/docs/2", "/buy"].map(pageStep),
      funnelsFilter: { funnelWindowInterval: 2, funnelWindowIntervalUnit: "hour", ...funnelsFilter },
    },
  },
});

describe("paths of a funnel", () => {
  test("lead up to a step, for as long as the window of the funnel", async () => {
    // The pause of 30 minutes is shorter than the window.
    expect(await edges({ stepLimit: 9 }, ofFunnel("before_step", 3))).toEqual([
      "1_/ 2_/docs 2 120000",
      "2_/docs 3_/docs/1 1 60000",
      "2_/docs 3_/docs/2 1 120000",
      "3_/docs/1 4_/docs/2 1 60000",
      "3_/docs/2 4_/ 1 1800000",
      "4_/ 5_/buy 1 1740000",
      "4_/docs/2 5_/buy 1 60000",
    ]);
  });

  test("lead on from a step, and from one step to the next", async () => {
    expect(await edges({}, ofFunnel("after_step", 2))).toEqual([
      "1_/docs/2 2_/ 1 1800000",
      "1_/docs/2 2_/buy 1 60000",
      "2_/ 3_/buy 1 1740000",
    ]);
    expect(await edges({}, ofFunnel("between_steps", 2))).toEqual([
      "1_/docs 2_/docs/1 1 60000",
      "1_/docs 2_/docs/2 1 120000",
      "2_/docs/1 3_/docs/2 1 60000",
    ]);
  });

  test("of those who dropped off go on when the window is over", async () => {
    const short = { funnelWindowInterval: 30, funnelWindowIntervalUnit: "minute" };
    // From minute 5 on it takes until minute 35.
    expect(await edges({}, ofFunnel("after_step", -3, short))).toEqual(["1_/ 2_/buy 1 1740000"]);
    expect(await edges({}, ofFunnel("before_step", -3, short))).toEqual([
      "1_/ 2_/docs 1 180000",
      "2_/docs 3_/docs/2 1 120000",
    ]);
  });

  test("have people behind them, and a text that gives their numbers", async () => {
    const more = ofFunnel("after_step", 2);
    const found = await actorsOf({ kind: "PathsQuery", ...more }, { pathStartKey: "1_/docs/2" }, context);
    expect(found.map(([, count]) => count)).toEqual([1, 1]);
    const { results, hogql: text } = await paths({}, more);
    const asked = await hogql(lake, text!, NOW);
    expect(asked.results.map(([source, target, value]) => [source, target, value] as unknown)).toEqual(
      results.map(({ source, target, value }) => [source, target, value]),
    );
  });

  test("the range of the funnel is part of the question", () => {
    const basis = (dateRange: JsonObject) => {
      const { funnelPathsFilter } = ofFunnel("after_step", 1) as { funnelPathsFilter: JsonObject };
      const funnelSource = { ...(funnelPathsFilter.funnelSource as JsonObject), dateRange };
      return new ParsedQuery({
        kind: "PathsQuery",
        funnelPathsFilter: { ...funnelPathsFilter, funnelSource },
      }).basis(context);
    };
    expect(basis({ date_from: "-7d" })).toBe(basis({ date_from: "-7d" }));
    expect(basis({ date_from: "-7d" })).not.toBe(basis({ date_from: "-8d" }));
  });

  const place = "funnelPathsFilter.funnelSource";
  test.each<[string, number, JsonObject, string]>([
    ["after_step", 0, {}, "funnelPathsFilter.funnelStep: must be 1 to 3, or -2 to -3 for those who dropped off"],
    ["between_steps", 1, {}, "funnelPathsFilter.funnelStep: must have a step before: paths lead from there"],
    ["between_steps", -2, {}, "funnelPathsFilter.funnelStep: must have a step before: paths lead from there"],
    ["after_step", 1, { funnelFromStep: 9 }, `${place}.funnelsFilter.funnelFromStep: must be between 0 and 1`],
    ["after_step", 1, { unheard: 9 }, `${place}.funnelsFilter.unheard: unknown field`],
    [
      "after_step",
      1,
      { funnelAggregateByHogQL: "properties.$session_id" },
      `${place}.funnelsFilter.funnelAggregateByHogQL: the paths of what HogQL names is not supported yet`,
    ],
  ])("%s %i %j is refused", async (type, step, filter, message) => {
    expect(await failure(paths({}, ofFunnel(type, step, filter)))).toMatchObject({ code: "invalid_query", message });
  });

  test("of people are no paths of groups", async () => {
    const { message } = await failure(paths({}, { ...ofFunnel("after_step", 1), aggregation_group_type_index: 0 }));
    expect(message).toBe(`${place}.aggregation_group_type_index: must be that of the paths`);
  });
});

test("an answer is a table of its edges", async () => {
  const node = { kind: "PathsQuery", pathsFilter: { edgeLimit: 1 } };
  const { results } = await runQuery(node, context);
  expect(new ParsedQuery(node).table({ results: results as Json })).toEqual({
    columns: ["source", "target", "value", "average_conversion_time"],
    rows: [["1_/", "2_/docs", 2, 120_000]],
  });
});

test("paths of before there were nodes", () => {
  const filters = {
    insight: "PATHS",
    date_from: "-7d",
    include_event_types: ["$pageview"],
    start_point: "/",
    step_limit: 4,
    path_groupings: ["/a*"],
    local_path_cleaning_filters: [{ regex: "x", alias: "y" }],
    paths_hogql_expression: null,
    display: "ActionsLineGraph",
  };
  expect(nodeOfLegacy(filters)).toEqual({
    kind: "InsightVizNode",
    source: {
      kind: "PathsQuery",
      dateRange: { date_from: "-7d" },
      pathsFilter: {
        includeEventTypes: ["$pageview"],
        startPoint: "/",
        stepLimit: 4,
        pathGroupings: ["/a*"],
        localPathCleaningFilters: [{ regex: "x", alias: "y" }],
      },
    },
  });
  const funnel = { insight: "FUNNELS", events: [{ id: "a", order: 0 }], funnel_step: -2 };
  const { source } = nodeOfLegacy({
    insight: "PATHS",
    funnel_paths: "funnel_path_after_step",
    funnel_filter: funnel,
  }) as JsonObject;
  expect(source).toEqual({
    kind: "PathsQuery",
    funnelPathsFilter: {
      funnelPathType: "funnel_path_after_step",
      funnelSource: { kind: "FunnelsQuery", series: [{ kind: "EventsNode", event: "a" }] },
      funnelStep: -2,
    },
  });
  expect(nodeOfLegacy({ insight: "PATHS", funnel_paths: "funnel_path_after_step" })).toEqual({
    kind: "InsightVizNode",
    source: { kind: "PathsQuery" },
  });
});

test("the moment is no part of the question, unless the expression has it", () => {
  const basis = (pathsHogQLExpression: string, includeEventTypes: string[]) => {
    const pathsFilter = { pathsHogQLExpression, includeEventTypes };
    return new ParsedQuery({ kind: "PathsQuery", pathsFilter }).basis(context);
  };
  expect(basis("event", ["hogql"])).toBeString();
  expect(basis("toString(now())", ["hogql"])).toBeNull();
  expect(basis("toString(now())", ["$screen"])).toBeString();
});

describe("what cannot be answered is refused by name", () => {
  test.each<[JsonObject, string]>([
    [
      { funnelPathsFilter: { funnelPathType: "funnel_path_after_step", funnelStep: 1 } },
      "funnelPathsFilter.funnelSource: Expected required property, not nothing",
    ],
    [
      { pathsFilter: { stepLimit: 1e9 } },
      "pathsFilter.stepLimit: Expected integer to be less or equal to 100, not 1000000000",
    ],
    [{ pathsFilter: { edgeLimit: "9" } }, 'pathsFilter.edgeLimit: Expected integer, not "9"'],
    [
      { pathsFilter: { includeEventTypes: ["$click"] } },
      'pathsFilter.includeEventTypes.0: must be one of $pageview, $screen, custom_event, hogql, not "$click"',
    ],
    [{ pathsFilter: { pathType: "$pageview" } }, "pathsFilter.pathType: unknown field"],
    [{ pathsFilter: { pathStartKey: "1_/" } }, "pathsFilter.pathStartKey: names people: ask for actors"],
    [
      { aggregation_group_type_index: 7 },
      "aggregation_group_type_index: Expected integer to be less or equal to 4, not 7",
    ],
    [{ interval: "day" }, "interval: unknown field"],
    [{ breakdownFilter: {} }, "breakdownFilter: unknown field"],
    [{ dateRange: { date_from: 7 } }, "dateRange.date_from: Expected string, not 7"],
  ])("%j", async (more, message) => {
    expect(await failure(runQuery({ kind: "PathsQuery", ...more }, context))).toMatchObject({
      code: "invalid_query",
      message,
    });
  });

  test("a long expression, and very many", async () => {
    const refused = async (localPathCleaningFilters: Json) =>
      (await failure(paths({ localPathCleaningFilters }))).message;
    expect(await refused([{ regex: "a".repeat(3_000) }])).toStartWith("pathsFilter.localPathCleaningFilters.0.regex: ");
    expect(await refused(new Array(300).fill({ regex: "a" }))).toStartWith("pathsFilter.localPathCleaningFilters: ");
  });

  test("a step that is none", async () => {
    const message = async (pathDropoffKey: string) =>
      (await failure(actorsOf({ kind: "PathsQuery" }, { pathDropoffKey }, context))).message;
    for (const key of ["/", "0_/", "-1_/", "1e9_/"]) {
      expect(await message(key)).toBe(
        `source.source.pathsFilter.pathDropoffKey: must be like "2_/about", not ${JSON.stringify(key)}`,
      );
    }
  });
});

test("expressions that are none, or expensive elsewhere", async () => {
  const { message } = await failure(paths({ localPathCleaningFilters: [{ regex: "(" }] }));
  expect(message).toBe(
    "pathsFilter.localPathCleaningFilters.0.regex: is not a regular expression (RE2): a ( is not closed",
  );
  const slow = { regex: "(a+)+$", alias: "b" };
  expect((await paths({ localPathCleaningFilters: new Array(50).fill(slow) })).results.length).toBeGreaterThan(0);
});
