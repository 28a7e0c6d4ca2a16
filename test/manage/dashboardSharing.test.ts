import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/types/mod.ts";
import { type ManageServer, startManage } from "../support/manage.ts";
import { userElse } from "./scene.ts";

interface Sharing {
  enabled: boolean;
  access_token: string;
}
interface Opened {
  type: string;
  settings: JsonObject;
  dashboard: { tiles: { id: number; insight: { id: number; query: JsonObject } | null }[] };
}

let server: ManageServer;
let asked: JsonObject[] = [];
beforeAll(async () => {
  server = await startManage();
  server.answerQueries(async (node) => {
    asked.push(node);
    return { results: [{ label: "visits", labels: ["1-Jan-2026"], data: [7], count: 7 }], hasMore: false };
  });
});
afterAll(() => server.stop());
beforeEach(() => {
  asked = [];
  // The limits of links are counted by the minute.
  server.nowMs += 60_000;
});

const base = "/api/environments/1/";
const trends = (event: string) => ({ kind: "TrendsQuery", series: [{ kind: "EventsNode", event }] });
const send = async <T>(method: string, path: string, body?: object, key = server.key) => {
  const reply = await server.send(method, base + path, { body, key });
  return { status: reply.status, json: reply.json as T };
};
const made = async (path: string, body: object) => (await send<{ id: number }>("POST", path, body)).json.id;
const share = async (id: number, body: object = { enabled: true }) =>
  (await send<Sharing>("PATCH", `dashboards/${id}/sharing/`, body)).json;
/** As anybody on the internet. */
const open = (path: string) => server.send("GET", path, { key: null });
const opened = async (token: string) => (await open(`/shared/${token}.json`)).json as Opened;

/** A shared dashboard under filters, with two insights and a text. */
async function scene(event = "one") {
  const dashboard = await made("dashboards/", { name: "Growth <b>", description: "x", filters: { date_from: "-30d" } });
  const [one, two] = [
    await made("insights/", { name: "one", query: trends(event), dashboards: [dashboard] }),
    await made("insights/", { name: "two", query: trends("two"), dashboards: [dashboard] }),
  ];
  await send("PATCH", `dashboards/${dashboard}/`, { tiles: [{ text: { body: "# Hello" } }] });
  const other = await made("insights/", { name: "other", query: trends("other") });
  const { access_token: token } = await share(dashboard);
  return { dashboard, one, two, other, token };
}

describe("sharing a dashboard", () => {
  test("is off at first, can be switched, and its token replaced", async () => {
    const id = await made("dashboards/", { name: "d" });
    const path = `dashboards/${id}/`;
    const first = (await send<Sharing>("GET", `${path}sharing/`)).json;
    expect(first).toMatchObject({ enabled: false, settings: { viewer_dates: false } } as never);
    expect((await open(`/shared/${first.access_token}/`)).status).toBe(404);
    expect((await send("GET", path)).json).toMatchObject({ is_shared: false } as never);
    expect(await share(id)).toMatchObject({ enabled: true, access_token: first.access_token });
    expect((await send("GET", path)).json).toMatchObject({ is_shared: true } as never);
    const { results } = (await send<{ results: JsonObject[] }>("GET", "dashboards/")).json;
    expect(results.find((one) => one.id === id)).toMatchObject({ is_shared: true });
    expect((await open(`/shared/${first.access_token}/`)).status).toBe(200);
    const renewed = (await send<Sharing>("POST", `${path}sharing/refresh/`)).json;
    expect((await open(`/shared/${first.access_token}/`)).status).toBe(404);
    expect((await opened(renewed.access_token)).type).toBe("dashboard");
    await share(id, { enabled: false });
    expect((await open(`/shared/${renewed.access_token}/`)).status).toBe(404);
  });

  test("is logged, without the token", async () => {
    const id = await made("dashboards/", { name: "d" });
    const { access_token } = await share(id, { enabled: true, settings: { viewer_dates: true } });
    await share(id, { settings: { viewer_dates: true } });
    const log = await server.send("GET", `${base}dashboards/${id}/activity/`);
    const { results } = log.json as { results: { activity: string; detail: { changes: { field: string }[] } }[] };
    expect(results.map(({ activity, detail }) => [activity, detail.changes?.[0]?.field])).toEqual([
      ["sharing changed", "viewer_dates"],
      ["sharing enabled", "sharing"],
      ["created", undefined],
    ]);
    expect(log.text).not.toContain(access_token);
  });

  test("needs the right to edit it", async () => {
    const id = await made("dashboards/", { name: "d" });
    await send("PUT", `dashboards/${id}/access_controls/`, { access_level: "viewer" });
    const { value: key } = await server.createKey({
      userId: (await userElse(server)).id,
      scopes: ["*"],
      level: "member",
    });
    expect((await send("PATCH", `dashboards/${id}/sharing/`, { enabled: true }, key)).status).toBe(403);
    expect((await send("GET", "dashboards/99999/sharing/")).json).toMatchObject({
      detail: "Dashboard not found.",
    } as never);
    expect((await send("PATCH", `dashboards/${id}/sharing/`, { settings: { viewer_dates: "x" } })).json).toMatchObject({
      attr: "settings__viewer_dates",
    } as never);
  });
});

describe("what the link to a dashboard opens", () => {
  test("what stands on it, without calculating anything", async () => {
    const { dashboard, one, two, token } = await scene();
    expect(await opened(token)).toEqual({
      type: "dashboard",
      settings: { viewer_dates: false, annotations: true },
      dashboard: {
        id: dashboard,
        name: "Growth <b>",
        description: "x",
        filters: { date_from: "-30d" },
        tiles: [
          ...[one, two].map((id, order) => ({
            id: expect.any(Number),
            order,
            layouts: {},
            color: null,
            text: null,
            insight: {
              id,
              short_id: expect.any(String),
              name: ["one", "two"][order],
              derived_name: null,
              description: null,
              query: { ...trends(["one", "two"][order]!), dateRange: { date_from: "-30d", date_to: null } },
            },
          })),
          { id: expect.any(Number), order: 2, layouts: {}, color: null, text: { body: "# Hello" }, insight: null },
        ],
      },
    } as never);
    expect(asked).toEqual([]);
  });

  test("each of its insights with its result, under its filters, and no others", async () => {
    const { one, other, token } = await scene();
    const reply = await open(`/shared/${token}/insights/${one}/`);
    expect(reply.json).toMatchObject({
      id: one,
      result: [{ data: [7] }],
      created_by: null,
      dashboards: [],
      user_access_level: "viewer",
    } as never);
    expect(asked).toEqual([{ ...trends("one"), dateRange: { date_from: "-30d", date_to: null } }]);
    const file = await open(`/shared/${token}/insights/${one}/?format=csv`);
    expect([file.status, file.text]).toEqual([200, "series,1-Jan-2026,total\r\nvisits,7,7\r\n"]);
    expect((await open(`/shared/${token}/insights/${one}/?refresh=force_blocking`)).json).toMatchObject({
      is_cached: true,
    } as never);
    const project = ((await server.send("POST", "/api/projects/", { body: {} })).json as { id: number }).id;
    const elsewhere = await server.send("POST", `/api/environments/${project}/insights/`, { body: { name: "x" } });
    const foreign = (elsewhere.json as { id: number }).id;
    for (const id of [other, foreign, 99999, "x"])
      expect((await open(`/shared/${token}/insights/${id}/`)).status).toBe(404);
    expect((await open(`/shared/wrong/insights/${one}/`)).status).toBe(404);
  });

  test("nothing by its token elsewhere", async () => {
    const { dashboard, one, token } = await scene();
    for (const path of [
      "insights/",
      `insights/${one}/`,
      `dashboards/${dashboard}/`,
      `dashboards/${dashboard}/sharing/`,
    ])
      expect((await open(`${base}${path}?sharing_access_token=${token}`)).status).toBe(401);
  });

  test("not what was deleted, taken away or closed to members", async () => {
    const { dashboard, one, two, token } = await scene();
    const ids = async () => (await opened(token)).dashboard.tiles.flatMap(({ insight }) => insight?.id ?? []);
    await send("PUT", `insights/${one}/access_controls/`, { access_level: "none" });
    expect(await ids()).toEqual([two]);
    expect((await open(`/shared/${token}/insights/${one}/`)).status).toBe(404);
    await send("PATCH", `insights/${two}/`, { dashboards: [] });
    expect(await ids()).toEqual([]);
    expect((await open(`/shared/${token}/insights/${two}/`)).status).toBe(404);
    await send("PATCH", `dashboards/${dashboard}/`, { deleted: true });
    expect((await open(`/shared/${token}.json`)).status).toBe(404);
  });

  test("by a switch of its own: those of its insights stay as they are", async () => {
    const { dashboard, one, token } = await scene();
    const shareOne = async (enabled: boolean) =>
      (await send<Sharing>("PATCH", `insights/${one}/sharing/`, { enabled })).json.access_token;
    const own = await shareOne(true);
    const statuses = async () =>
      Promise.all(
        [`/shared/${token}.json`, `/shared/${token}/insights/${one}/`, `/shared/${own}.json`].map(
          async (path) => (await open(path)).status,
        ),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    await share(dashboard, { enabled: false });
    expect(await statuses()).toEqual([404, 404, 200]);
    await share(dashboard);
    await shareOne(false);
    expect(await statuses()).toEqual([200, 200, 404]);
    // What is closed to members is off the dashboard's link. Its own link was opened for it alone, and stays.
    await shareOne(true);
    await send("PUT", `insights/${one}/access_controls/`, { access_level: "none" });
    expect(await statuses()).toEqual([200, 404, 200]);
  });

  test("twenty tiles at once", async () => {
    const dashboard = await made("dashboards/", { name: "many" });
    const body = (i: number) => ({ name: `i${i}`, query: trends(`many ${i}`), dashboards: [dashboard] });
    for (let i = 0; i < 20; i++) await made("insights/", body(i));
    const { access_token: token } = await share(dashboard);
    const { tiles } = (await opened(token)).dashboard;
    const replies = await Promise.all(tiles.map(({ insight }) => open(`/shared/${token}/insights/${insight!.id}/`)));
    expect(replies.map(({ status }) => status)).toEqual(tiles.map(() => 200));
    expect(tiles).toHaveLength(20);
  });
});

describe("dates of those who have a link", () => {
  test("count where its owner lets them, over those of the dashboard", async () => {
    const { dashboard, one, token } = await scene("dated");
    const path = `/shared/${token}/insights/${one}/`;
    expect((await open(`${path}?date_from=-3d`)).json).toMatchObject({
      attr: "date_from",
      code: "not_allowed",
    } as never);
    expect((await open(`/shared/${token}.json/?date_to=-3d`)).status).toBe(400);
    await share(dashboard, { settings: { viewer_dates: true } });
    asked = [];
    await open(`${path}?date_from=-3d`);
    await open(`${path}?date_from=2026-01-01&date_to=2026-01-05`);
    await open(path);
    const ranges = [
      { date_from: "-3d", date_to: null },
      { date_from: "2026-01-01", date_to: "2026-01-05" },
      { date_from: "-30d", date_to: null },
    ];
    expect(asked).toEqual(ranges.map((dateRange) => ({ ...trends("dated"), dateRange })));
    const shown = (await open(`/shared/${token}.json/?date_from=-3d`)).json as Opened;
    expect(shown.settings).toEqual({ viewer_dates: true, annotations: true });
    expect(shown.dashboard.tiles[0]!.insight!.query.dateRange).toEqual(ranges[0]!);
    for (const bad of ["x", "-3d'", "2026-02-31", "-99999999999d", "7 days"])
      expect((await open(`${path}?date_from=${encodeURIComponent(bad)}`)).status).toBe(400);
  });

  test("the same for a shared insight", async () => {
    const id = await made("insights/", { name: "alone", query: trends("alone") });
    const body = { enabled: true, settings: { viewer_dates: true } };
    const { access_token: token } = (await send<Sharing>("PATCH", `insights/${id}/sharing/`, body)).json;
    for (const path of [`/shared/${token}.json`, `/shared/${token}/insights/${id}/`]) {
      asked = [];
      expect((await open(`${path}${path.endsWith("/") ? "" : "/"}?date_from=-5d&refresh=blocking`)).status).toBe(200);
    }
    await open(`/shared/${token}.json/?date_from=-6d`);
    expect(asked).toEqual([{ ...trends("alone"), dateRange: { date_from: "-6d", date_to: null } }]);
  });
});
