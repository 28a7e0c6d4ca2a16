import { afterAll, describe, expect, test } from "bun:test";
import { closeParser, runQuery } from "../../src/query/mod.ts";
import type { Json, JsonObject } from "../../src/types/mod.ts";
import { MemoryLake } from "../support/memoryLake.ts";
import { contextOf, failure } from "./support.ts";

// An error names the place from the node on that was asked, however deep the node stands that is wrong.

const lake = await MemoryLake.open([]);
afterAll(async () => {
  closeParser();
  await lake.close();
});

const context = contextOf(lake, {
  testAccountFilters: [{ key: "k", type: "unheard", value: "x" }] as Json,
});
const message = async (node: JsonObject) => (await failure(runQuery(node, context))).message;

const EVENT = { kind: "EventsNode", event: "view" };
const ofSeries = (kind: string, series: JsonObject, more: JsonObject = {}): JsonObject => ({
  kind,
  series: [{ ...EVENT, ...series }, ...(kind === "FunnelsQuery" ? [{ ...EVENT, event: "buy" }] : [])],
  ...more,
});
const WRONG = { math: "unheard" };
const FILTER = { properties: [{ key: "k", type: "unheard", value: "x" }] };
const HOGQL = (key: string): JsonObject => ({ properties: [{ key, type: "hogql" }] });

const NODES: [JsonObject, string][] = [
  [ofSeries("TrendsQuery", WRONG), "series.0.math"],
  [ofSeries("TrendsQuery", FILTER), "series.0.properties.0.type"],
  [ofSeries("TrendsQuery", HOGQL("count() > 1")), "series.0.properties.0"],
  [ofSeries("TrendsQuery", {}, { dateRange: { date_from: 7 } }), "dateRange.date_from"],
  [ofSeries("FunnelsQuery", WRONG), "series.0.math"],
  [ofSeries("FunnelsQuery", FILTER), "series.0.properties.0.type"],
  [ofSeries("FunnelsQuery", HOGQL("count() > 1")), "series.0.properties.0"],
  [ofSeries("FunnelsQuery", {}, { funnelsFilter: { funnelFromStep: 9 } }), "funnelsFilter.funnelFromStep"],
  [ofSeries("StickinessQuery", WRONG), "series.0.math"],
  [ofSeries("LifecycleQuery", FILTER), "series.0.properties.0.type"],
  [{ kind: "RetentionQuery", retentionFilter: { totalIntervals: 1e6 } }, "retentionFilter.totalIntervals"],
  [{ kind: "PathsQuery", ...FILTER }, "properties.0.type"],
  [{ kind: "PathsQuery", pathsFilter: { unheard: 1 } }, "pathsFilter.unheard"],
];
const PART: Record<string, string> = { FunnelsQuery: "FunnelsActorsQuery", StickinessQuery: "StickinessActorsQuery" };
const partOf = (source: JsonObject): JsonObject => ({
  kind: PART[String(source.kind)] ?? "InsightActorsQuery",
  source,
  ...(source.kind === "FunnelsQuery" && { funnelStep: 1 }),
});

describe("what is wrong with an insight", () => {
  test.each(NODES)("%j is at its place", async (node, place) => {
    expect(await message(node)).toStartWith(`${place}: `);
  });

  test.each(NODES)("%j is at its place behind a number", async (node, place) => {
    expect(await message({ kind: "ActorsQuery", source: partOf(node) })).toStartWith(`source.source.${place}: `);
  });

  const funnels = NODES.filter(([{ kind }]) => kind === "FunnelsQuery");
  const correlation = (funnel: JsonObject) => ({
    kind: "FunnelCorrelationQuery",
    funnelCorrelationType: "events",
    source: { kind: "FunnelsActorsQuery", source: funnel },
  });
  test.each(funnels)("%j is at its place in paths, correlations and the people behind these", async (funnel, place) => {
    const paths = {
      kind: "PathsQuery",
      funnelPathsFilter: { funnelPathType: "funnel_path_after_step", funnelStep: 1, funnelSource: funnel },
    };
    expect(await message(paths)).toStartWith(`funnelPathsFilter.funnelSource.${place}: `);
    expect(await message({ kind: "ActorsQuery", source: partOf(paths) })).toStartWith(
      `source.source.funnelPathsFilter.funnelSource.${place}: `,
    );
    expect(await message(correlation(funnel))).toStartWith(`source.source.${place}: `);
    const entity = { funnelCorrelationPersonEntity: { kind: "EventsNode", event: "x" } };
    const source = { kind: "FunnelCorrelationActorsQuery", source: correlation(funnel), ...entity };
    expect(await message({ kind: "ActorsQuery", source })).toStartWith(`source.source.source.source.${place}: `);
  });

  test("is at its place among the options of people", async () => {
    const node = ofSeries("TrendsQuery", WRONG);
    expect(await message({ kind: "InsightActorsQueryOptions", source: partOf(node) })).toStartWith(
      "source.source.series.0.math: ",
    );
  });
});

test("filters of the environment stand in no node", async () => {
  const node = ofSeries("TrendsQuery", {}, { filterTestAccounts: true });
  expect(await message(node)).toStartWith("test_account_filters.0.type: ");
  expect(await message({ kind: "ActorsQuery", source: partOf(node) })).toStartWith("test_account_filters.0.type: ");
});
