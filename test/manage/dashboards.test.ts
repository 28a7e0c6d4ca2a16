import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";

interface Tile {
  id: number;
  dashboard_id: number;
  deleted: boolean | null;
}
interface Insight {
  id: number;
  dashboards: number[];
  dashboard_tiles: Tile[];
  query: JsonObject;
  result: unknown;
}
interface Dashboard {
  id: number;
  tiles: (Tile & { insight: Insight; color: string | null; layouts: unknown })[];
}

let server: ManageServer;
let asked: JsonObject[] = [];
beforeAll(async () => {
  server = await startManage();
  server.answerQueries(async (node) => {
    asked.push(node);
    return { results: [asked.length], hasMore: false };
  });
});
afterAll(() => server.stop());
beforeEach(() => {
  asked = [];
});

const insights = "/api/environments/1/insights/";
const dashboards = "/api/environments/1/dashboards/";
const trends = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] };
const post = async <T>(path: string, body: object = {}) => (await server.send("POST", path, { body })).json as T;
const patch = async <T>(path: string, body: object) => (await server.send("PATCH", path, { body })).json as T;
const get = async <T>(path: string) => (await server.send("GET", path)).json as T;
const newDashboard = async (body: object = {}) => (await post<Dashboard>(dashboards, body)).id;
const newInsight = (body: object = {}) => post<Insight>(insights, { name: "i", query: trends, ...body });

describe("dashboards", () => {
  test("are made with defaults, listed, found, changed, deleted and brought back", async () => {
    const made = await post<Dashboard>(dashboards);
    expect(made).toMatchObject({ name: null, description: "", pinned: false, deleted: false, filters: {}, tiles: [] });
    expect(await get<Dashboard>(`${dashboards}${made.id}/`)).toEqual(made);
    const named = await patch(`${dashboards}${made.id}/`, { name: "Growth", pinned: true, tags: [" B", "b", "a"] });
    expect(named).toMatchObject({ name: "Growth", pinned: true, tags: ["a", "b"] } as never);
    const list = (query: string) => get<{ count: number; results: object[] }>(`${dashboards}${query}`);
    expect(await list("?search=GROW&pinned=true&limit=1")).toMatchObject({ count: 1, results: [{ id: made.id }] });
    expect((await list("?search=grow")).results[0]).not.toHaveProperty("tiles");
    await patch(`${dashboards}${made.id}/`, { deleted: true });
    expect((await server.send("GET", `${dashboards}${made.id}/`)).status).toBe(404);
    expect((await server.send("PATCH", `${dashboards}${made.id}/`, { body: { name: "x" } })).status).toBe(404);
    expect((await list("?search=grow")).count).toBe(0);
    expect(await patch(`${dashboards}${made.id}/`, { deleted: false })).toMatchObject({ name: "Growth" } as never);
    expect((await server.send("DELETE", `${dashboards}${made.id}/`)).status).toBe(405);
  });

  test.each([
    [{ name: "x".repeat(401) }, "name", "max_length"],
    [{ filters: [] }, "filters", "invalid_input"],
    [{ pinned: "perhaps" }, "pinned", "invalid_input"],
  ])("refuse %j", async (body, attr, code) => {
    expect((await server.send("POST", dashboards, { body })).json).toMatchObject({ attr, code } as never);
  });

  test("log who changed what", async () => {
    const id = await newDashboard({ name: "a" });
    await patch(`${dashboards}${id}/`, { name: "b" });
    await patch(`${dashboards}${id}/`, { name: "b" });
    expect(await get<object>(`${dashboards}${id}/activity/`)).toMatchObject({
      total_count: 2,
      results: [
        { activity: "updated", detail: { changes: [{ type: "Dashboard", field: "name", before: "a", after: "b" }] } },
        { activity: "created", scope: "Dashboard", item_id: String(id) },
      ],
    });
  });

  test("can be the first of their environment, and of no other", async () => {
    const id = await newDashboard();
    const settings = (body: object, env = 1) =>
      server.send("PATCH", `/api/projects/${env}/environments/${env}/`, { body });
    expect((await settings({ primary_dashboard: id })).json).toMatchObject({ primary_dashboard: id } as never);
    const other = await post<{ id: number }>("/api/projects/");
    expect((await settings({ primary_dashboard: id }, other.id)).json).toMatchObject({
      attr: "primary_dashboard",
      detail: "Dashboard does not belong to this team.",
    } as never);
  });
});

describe("tiles", () => {
  test("come and go by the insight's dashboards, and return as they were", async () => {
    const [a, b] = [await newDashboard({ name: "A" }), await newDashboard({ name: "B" })];
    const insight = await newInsight({ dashboards: [a] });
    const path = `${insights}${insight.id}/`;
    expect(insight.dashboards).toEqual([a]);
    expect(insight.dashboard_tiles).toEqual([{ id: expect.any(Number), dashboard_id: a, deleted: null }]);
    expect((await patch<Insight>(path, { dashboards: [a, b] })).dashboards).toEqual([a, b]);
    expect((await patch<Insight>(path, { dashboards: [b] })).dashboards).toEqual([b]);
    const back = await patch<Insight>(path, { dashboards: [a, b] });
    expect(back.dashboard_tiles).toEqual([
      { ...insight.dashboard_tiles[0]!, deleted: false },
      { id: expect.any(Number), dashboard_id: b, deleted: null },
    ]);
    const { results } = await get<{ results: { detail: { changes: object[] } }[] }>(`${path}activity/`);
    expect(results.slice(0, -1).map((entry) => entry.detail.changes)).toEqual([
      [
        change(
          [{ id: b, name: "B" }],
          [
            { id: a, name: "A" },
            { id: b, name: "B" },
          ],
        ),
      ],
      [
        change(
          [
            { id: a, name: "A" },
            { id: b, name: "B" },
          ],
          [{ id: b, name: "B" }],
        ),
      ],
      [
        change(
          [{ id: a, name: "A" }],
          [
            { id: a, name: "A" },
            { id: b, name: "B" },
          ],
        ),
      ],
    ]);
  });

  const change = (before: object[], after: object[]) => ({
    type: "Insight",
    action: "changed",
    field: "dashboards",
    before,
    after,
  });

  test("an unknown, deleted or foreign dashboard is refused, and nothing changes", async () => {
    const [mine, gone] = [await newDashboard(), await newDashboard()];
    await patch(`${dashboards}${gone}/`, { deleted: true });
    const other = await post<{ id: number }>("/api/projects/");
    const foreign = (await post<Dashboard>(`/api/environments/${other.id}/dashboards/`)).id;
    const { id } = await newInsight({ dashboards: [mine] });
    for (const bad of [gone, foreign, 99999]) {
      const reply = await server.send("PATCH", `${insights}${id}/`, { body: { name: "no", dashboards: [bad] } });
      expect(reply.json).toMatchObject({ code: "does_not_exist", attr: "dashboards" } as never);
    }
    expect(await get<Insight>(`${insights}${id}/`)).toMatchObject({ name: "i", dashboards: [mine] } as never);
  });

  test("are added, coloured and taken away on the dashboard", async () => {
    const id = await newDashboard();
    const insight = await newInsight();
    const tile = await post<Tile>(`${dashboards}${id}/tiles/`, { insight: insight.id });
    expect(tile).toMatchObject({ dashboard_id: id, insight: insight.id, deleted: null } as never);
    const looks = { id: tile.id, color: "blue", layouts: { sm: { x: 1 } } };
    const shown = await patch<Dashboard>(`${dashboards}${id}/`, { tiles: [looks] });
    expect(shown.tiles).toMatchObject([{ ...looks, insight: { id: insight.id, dashboards: [id] } }]);
    expect(await get<object>(`${insights}${insight.id}/?from_dashboard=${id}`)).toMatchObject({
      color: "blue",
      layouts: { sm: { x: 1 } },
    });
    const without = await patch<Dashboard>(`${dashboards}${id}/`, { tiles: [{ id: tile.id, deleted: true }] });
    expect(without.tiles).toEqual([]);
    expect((await get<Insight>(`${insights}${insight.id}/`)).dashboards).toEqual([]);
    const refused = await server.send("PATCH", `${dashboards}${id}/`, { body: { tiles: [{ id: 9999 }] } });
    expect(refused.json).toMatchObject({ code: "does_not_exist", attr: "tiles__0__id" } as never);
    const unknown = await server.send("POST", `${dashboards}${id}/tiles/`, { body: { insight: 9999 } });
    expect(unknown.json).toMatchObject({ code: "does_not_exist", attr: "insight" } as never);
  });

  test("go with the insight or the dashboard, and come back with the dashboard", async () => {
    const id = await newDashboard();
    const [kept, dropped] = [await newInsight({ dashboards: [id] }), await newInsight({ dashboards: [id] })];
    await patch(`${insights}${dropped.id}/`, { deleted: true });
    expect((await patch<Insight>(`${insights}${dropped.id}/`, { deleted: false })).dashboards).toEqual([]);
    await patch(`${dashboards}${id}/`, { deleted: true });
    expect((await get<Insight>(`${insights}${kept.id}/`)).dashboards).toEqual([]);
    const back = await patch<Dashboard>(`${dashboards}${id}/`, { deleted: false });
    expect(back.tiles.map((tile) => [tile.insight.id, tile.deleted])).toContainEqual([kept.id, false]);
  });

  test("go for good with the insights, where that is asked for: those that are on no other dashboard", async () => {
    const [id, other] = [await newDashboard(), await newDashboard()];
    const own = await newInsight({ dashboards: [id] });
    const both = await newInsight({ dashboards: [id, other] });
    const statusOf = async (insight: Insight) => (await server.send("GET", `${insights}${insight.id}/`)).status;
    const remove = (body: object, key?: string) => server.send("PATCH", `${dashboards}${id}/`, { body, key });
    expect((await remove({ delete_insights: true })).json).toMatchObject({ attr: "delete_insights" } as never);
    const { value: key } = await server.createKey({ scopes: ["dashboard:write"] });
    expect((await remove({ deleted: true, delete_insights: true }, key)).status).toBe(403);
    expect([await statusOf(own), await statusOf(both)]).toEqual([200, 200]);
    expect((await remove({ deleted: true, delete_insights: true })).status).toBe(200);
    expect([await statusOf(own), await statusOf(both)]).toEqual([404, 200]);
    expect((await get<Insight>(`${insights}${both.id}/`)).dashboards).toEqual([other]);
    await patch(`${dashboards}${id}/`, { deleted: false });
    expect(await statusOf(own)).toBe(404);
  });

  test("narrow the list of insights: on all of the dashboards named, saved or on any", async () => {
    const [a, b] = [await newDashboard(), await newDashboard()];
    const both = await newInsight({ dashboards: [a, b], tags: ["tiled"] });
    const one = await newInsight({ dashboards: [a], tags: ["tiled"] });
    const list = async (query: string) =>
      (await get<{ results: Insight[] }>(`${insights}?search=tiled&${query}`)).results.map(({ id }) => id);
    expect(await list(`dashboards=[${a}]`)).toEqual([both.id, one.id]);
    expect(await list(`dashboards=[${a},${b}]`)).toEqual([both.id]);
    expect(await list("saved=true")).toEqual([both.id, one.id]);
    expect((await server.send("GET", `${insights}?dashboards=x`)).status).toBe(400);
  });
});

describe("what a dashboard puts over its insights", () => {
  const filter = { key: "$browser", value: ["Safari"], operator: "exact", type: "event" };

  test("is shown in the query, asked for, and cached apart", async () => {
    const filters = { date_from: "-30d", properties: [filter] };
    const id = await newDashboard({ filters });
    const own = { ...trends, properties: [{ ...filter, key: "own" }], dateRange: { date_from: "-1d", date_to: "-1d" } };
    const insight = await newInsight({ dashboards: [id], query: { kind: "InsightVizNode", source: own } });
    const path = `${insights}${insight.id}/`;
    const plain = await get<Insight>(`${path}?refresh=blocking`);
    const shown = await get<Insight>(`${path}?refresh=blocking&from_dashboard=${id}`);
    const properties = {
      type: "AND",
      values: [
        { type: "AND", values: own.properties },
        { type: "AND", values: [filter] },
      ],
    };
    const merged = { ...own, dateRange: { date_from: "-30d", date_to: null }, properties };
    expect(shown.query).toEqual({ kind: "InsightVizNode", source: merged });
    expect(asked).toEqual([{ kind: "InsightVizNode", source: own }, shown.query]);
    expect([plain.result, shown.result]).toEqual([[1], [2]]);
    expect((await get<Insight>(path)).result).toEqual([1]);
    const whole = await get<Dashboard>(`${dashboards}${id}/`);
    expect(whole.tiles[0]!.insight).toMatchObject({ result: [2], query: shown.query });
  });

  test("is ignored where the insight is not on it", async () => {
    const id = await newDashboard({ filters: { date_from: "-30d" } });
    const insight = await newInsight();
    const shown = await get<Insight>(`${insights}${insight.id}/?from_dashboard=${id}`);
    expect(shown.query).toEqual(trends);
    expect(shown).not.toHaveProperty("color");
  });

  test("stands behind the request's own", async () => {
    const id = await newDashboard({ filters: { date_from: "-30d", breakdown_filter: { breakdown: "a" } } });
    const insight = await newInsight({ dashboards: [id] });
    const over = encodeURIComponent(JSON.stringify({ date_from: "-3d" }));
    const shown = await get<Insight>(`${insights}${insight.id}/?from_dashboard=${id}&filters_override=${over}`);
    expect(shown.query).toEqual({
      ...trends,
      dateRange: { date_from: "-3d", date_to: null },
      breakdownFilter: { breakdown: "a" },
    });
    const bad = await server.send("GET", `${insights}${insight.id}/?filters_override={`);
    expect(bad.json).toMatchObject({
      attr: "filters_override",
      detail: "Invalid JSON passed in filters_override parameter",
    } as never);
  });

  test("SQL gets filters where it has a place for them, and values for variables it has", async () => {
    const variable = { variableId: "v1", code_name: "plan", value: "free" };
    const variables = { v1: { ...variable, value: "paid" }, v2: { ...variable, variableId: "v2" } };
    const id = await newDashboard({ filters: { properties: [filter] }, variables });
    const query = { kind: "HogQLQuery", query: "select 1 where {filters}", variables: { v1: variable } };
    const insight = await newInsight({ dashboards: [id], query });
    const shown = await get<Insight>(`${insights}${insight.id}/?from_dashboard=${id}`);
    expect(shown.query).toEqual({
      ...query,
      filters: { properties: [filter] },
      variables: { v1: { ...variable, value: "paid" } },
    });
  });

  test("the query endpoint takes overrides, too", async () => {
    const body = { query: trends, filters_override: { date_from: "-3d" }, refresh: "force_blocking" };
    await post("/api/environments/1/query/", body);
    expect(asked).toEqual([{ ...trends, dateRange: { date_from: "-3d", date_to: null } }]);
  });
});
