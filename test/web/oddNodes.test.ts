import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { QueryNode } from "../../src/web/app/api/node.ts";
import { isSound } from "../../src/web/app/kinds/nodeShape.ts";
import { readNode } from "../../src/web/app/kinds/readNode.ts";
import { chartWishOf } from "../../src/web/app/kinds/view/sql/chartWish.ts";
import { sourceOf } from "../../src/web/app/kinds/wrapping.ts";
import { derivedName } from "../../src/web/app/pages/parts/insight/derivedName.ts";
import { writeFragment } from "../../src/web/app/pages/parts/insight/fragment.ts";
import cases from "../conformance/cases/query.json";
import { Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

// Nodes that no form writes, but that the API saves.

const ANY = { kind: "EventsNode", event: null };
const trends = (more: object): QueryNode => ({ kind: "TrendsQuery", series: [ANY], ...more });

/** They say the same as nodes without what is null in them. */
const NULLS: readonly [string, QueryNode][] = [
  ["User paths based on all events", { kind: "PathsQuery", pathsFilter: { includeEventTypes: null } }],
  ["User paths based on all events", { kind: "PathsQuery", pathsFilter: null, properties: null, dateRange: null }],
  [
    "User retention based on doing All events and returning with the same event",
    {
      kind: "RetentionQuery",
      retentionFilter: { period: null, targetEntity: { id: null }, returningEntity: { id: null } },
    },
  ],
  [
    "User retention based on doing Page view and returning with the same event",
    { kind: "RetentionQuery", retentionFilter: { totalIntervals: null, targetEntity: null, display: null } },
  ],
  [
    "All events count",
    trends({ interval: null, breakdownFilter: null, trendsFilter: { formulas: null, display: null } }),
  ],
  ["All events count", trends({ breakdownFilter: { breakdowns: null }, compareFilter: { compare: null } })],
  ["All events count", trends({ series: [{ ...ANY, math: null, name: null, properties: null }] })],
  ["All events count", trends({ properties: [null, { type: "empty" }, { type: "event", key: null }, {}] })],
  ["User stickiness based on All events", { kind: "StickinessQuery", series: [ANY], stickinessFilter: null }],
  [
    "User lifecycle based on All events",
    { kind: "LifecycleQuery", series: [ANY], lifecycleFilter: { toggledLifecycles: null } },
  ],
  [
    "All events user conversion",
    { kind: "FunnelsQuery", series: [ANY], funnelsFilter: { exclusions: null, funnelVizType: null } },
  ],
];

/** The API refuses them when they are asked. */
const REFUSED: readonly QueryNode[] = [
  { kind: "TrendsQuery" },
  trends({ series: "x" }),
  trends({ series: [null] }),
  trends({ series: [{}] }),
  trends({ series: [{ kind: "EventsNode", event: 5 }] }),
  trends({ trendsFilter: "x" }),
  trends({ trendsFilter: { formulas: "A" } }),
  trends({ trendsFilter: { formulaNodes: [{}] } }),
  trends({ breakdownFilter: { breakdowns: "x" } }),
  trends({ properties: "x" }),
  trends({ properties: { type: "AND", values: "x" } }),
  trends({ dateRange: { date_from: 5 } }),
  { kind: "FunnelsQuery", series: [ANY], funnelsFilter: { exclusions: "x" } },
  { kind: "RetentionQuery" },
  { kind: "RetentionQuery", retentionFilter: { totalIntervals: "x" } },
  { kind: "RetentionQuery", retentionFilter: { period: 5 } },
  { kind: "PathsQuery", pathsFilter: { includeEventTypes: "x" } },
  { kind: "PathsQuery", funnelPathsFilter: {} },
  { kind: "StickinessQuery", series: {} },
  { kind: "LifecycleQuery", series: [5] },
];

const wrapped = (source: QueryNode) => ({ kind: "InsightVizNode", source });

describe("a node", () => {
  test.each(NULLS)("says nothing by null: %p", (name, given) => {
    const node = readNode(wrapped(given))!;
    expect(JSON.stringify(node)).not.toContain(":null");
    expect([isSound(sourceOf(node)), derivedName(node)]).toEqual([true, name]);
  });

  test.each(REFUSED.map((node) => [JSON.stringify(node), node] as const))("is not sound: %s", (_, given) => {
    const node = readNode(wrapped(given))!;
    expect(sourceOf(node).kind).toBe(given.kind);
    expect([isSound(sourceOf(node)), derivedName(node)]).toEqual([false, given.kind.replace("Query", "")]);
  });

  test("is no text, number or list, nor anything without a kind", () => {
    for (const given of ["x", 5, null, [], {}, { kind: 5 }]) expect(readNode(given)).toBeNull();
  });

  test("of PostHog that is answered is sound", () => {
    const answered = (cases as { query: QueryNode; expect: { results?: unknown } }[]).filter(
      ({ expect }) => expect.results,
    );
    const nodes = answered.map(({ query }) => sourceOf(readNode(query)!)).filter(({ kind }) => KINDS.has(kind));
    expect(nodes.length).toBeGreaterThan(100);
    expect(nodes.filter((node) => !isSound(node))).toEqual([]);
  });

  test("of SQL keeps its values, and has the chart that can be read", () => {
    const sql = { kind: "HogQLQuery", query: "SELECT {a}", values: { a: null } };
    expect(readNode(sql)).toEqual(sql);
    for (const chartSettings of [null, "x", { xAxis: null, yAxis: "x", seriesBreakdownColumn: 5 }, { yAxis: [null] }])
      expect(chartWishOf({ kind: "DataVisualizationNode", source: sql, chartSettings })).toEqual({});
  });
});

const KINDS = new Set([...NULLS.map(([, { kind }]) => kind)]);

describe("pages", () => {
  let stage: Stage;
  let visitor: Visitor;
  beforeAll(async () => {
    stage = await Stage.open();
    await stage.logIn();
    await stage.weir.batch([{ event: "see", distinct_id: "a" }]);
    await stage.weir.waitStored();
    visitor = await stage.enter({ width: 1440, scheme: "light" });
    visitor.expects(/status of 400 /);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const save = async (source: QueryNode, name?: string) => {
    const body = { name, saved: true, query: wrapped(source) };
    const { status, json } = await stage.weir.manage("POST", "/api/environments/1/insights/", body);
    expect(status).toBe(201);
    return json as { short_id: string };
  };
  const refusalOf = async (query: QueryNode) => {
    const { status, json } = await stage.weir.manage("POST", "/api/environments/1/query/", { query });
    expect([JSON.stringify(query), status]).toEqual([expect.any(String), 400]);
    return (json as { detail: string }).detail;
  };
  const problem = () => visitor.page.getByRole("region", { name: "Answer" }).getByRole("alert");

  test("list them, and show them with their forms or with what the API says", async () => {
    const { page } = visitor;
    const known = await Promise.all(NULLS.map(([, source]) => save(source)));
    const refused = await Promise.all(REFUSED.map((source, at) => save(source, `Refused ${at}`)));
    await visitor.open("/project/1/insights");
    const rows = page.locator(".insight-row");
    await rows.nth(known.length + refused.length - 1).waitFor();
    for (const [name] of NULLS) await visitor.sees(rows.getByRole("link", { name, exact: true }));
    for (const { short_id } of known) {
      await visitor.open(`/project/1/insights/${short_id}/edit`);
      await page.getByRole("region", { name: "Question" }).waitFor();
      await page.locator(".insight-view[aria-busy=false] .insight-chart:not(.old)").waitFor();
      expect(await page.locator(".insight-changed").count()).toBe(0);
    }
    for (const [at, { short_id }] of refused.entries()) {
      await visitor.open(`/project/1/insights/${short_id}/edit`);
      const said = await refusalOf(REFUSED[at]!);
      await problem().waitFor();
      const shown = (await problem().locator("p").textContent()) ?? "";
      expect(said).toContain(shown.replace(/^[^:]*: /, ""));
      expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe(`Refused ${at}`);
    }
    await visitor.clicks("button", "More");
    await visitor.clicks("menuitem", "Delete");
    await page.waitForURL(/\/insights$/);
    await visitor.expectFine();
  });

  test("show what the API says of one in the address, and go on with another question", async () => {
    const { page } = visitor;
    await visitor.open(`/project/1/insights/new${writeFragment(trends({ series: "x" }))}`);
    await problem().waitFor();
    await visitor.expectFine();
    await visitor.clicks("link", "Insights");
    await page.getByRole("link", { name: "New insight" }).first().click();
    await page.getByRole("region", { name: "Question" }).waitFor();
    await visitor.expectFine();
  });
});
