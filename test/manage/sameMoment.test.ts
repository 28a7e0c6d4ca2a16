import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { blankAlert, createAlert, createSubscription, findSubscription } from "../../src/metadata/mod.ts";
import { type ManageServer, type Reply, startManage } from "../support/manage.ts";
import { findPostgres } from "../support/postgres.ts";
import { untilWaiting } from "../support/stores.ts";
import { Browser, linkOf, PASSWORD } from "./browser.ts";
import { join } from "./team.ts";

const HERE = "/api/environments/1/";

/** Of SQLite one request writes at a time. */
describe.skipIf(findPostgres() === null)("of requests at the same moment", () => {
  let server: ManageServer;
  beforeAll(async () => {
    server = await startManage({ personalKeysMax: 2 }, undefined, null, "postgres");
    server.answerQueries(async () => ({ results: [], hasMore: false }));
  });
  afterAll(() => server.stop());

  /** Each request begins when the one before it has written all but its activity. */
  async function atOnce(...requests: (() => Promise<Reply>)[]): Promise<Reply[]> {
    const { sent } = await server.db.write(async (tx) => {
      await tx`lock table activity_log in share mode`;
      const sent: Promise<Reply>[] = [];
      for (const send of requests) {
        sent.push(send());
        await untilWaiting(server.db, sent.length);
      }
      return { sent };
    });
    return Promise.all(sent);
  }

  const send = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const reply = await server.send(method, HERE + path, { body });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json as T;
  };
  const change = (path: string, body: object) => () => server.send("PATCH", HERE + path, { body });

  const MADE = { name: "made" };
  const TEXTS = [{ name: "one" }, { description: "other" }] as const;
  test.each<[string, object, readonly [object, object]]>([
    ["insights", MADE, TEXTS],
    ["dashboards", MADE, TEXTS],
    ["actions", MADE, TEXTS],
    ["cohorts", { ...MADE, is_static: true, csv: "ada" }, TEXTS],
    [
      "annotations",
      { content: "made", scope: "project" },
      [{ content: "one" }, { date_marker: "2026-01-02T00:00:00.000Z" }],
    ],
    ["event_definitions", MADE, [{ description: "one" }, { verified: true }]],
    ["property_definitions", MADE, [{ property_type: "Numeric" }, { description: "other" }]],
  ])("two that change different fields of one of the %s both stay", async (kind, made, [one, other]) => {
    const { id } = await send<{ id: string }>("POST", `${kind}/`, made);
    const replies = await atOnce(change(`${kind}/${id}/`, one), change(`${kind}/${id}/`, other));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await send<object>("GET", `${kind}/${id}/`)).toMatchObject({ ...one, ...other });
  });

  test("an importer does not take the wish back that it pauses", async () => {
    const history = { source: "file", mapping_hash: "one" };
    const { id } = await send<{ id: string }>("POST", "imports/", history);
    const pause = () => server.send("POST", `${HERE}imports/${id}/pause/`);
    await atOnce(pause, change(`imports/${id}/`, { state: "sending", error: "slow" }));
    expect(await send<object>("GET", `imports/${id}/`)).toMatchObject({ state: "stopping", error: "slow" });
  });

  test("one that changes a tile does not bring back an insight that leaves the dashboard", async () => {
    const dashboard = await send<{ id: number }>("POST", "dashboards/", MADE);
    const place = { ...MADE, dashboards: [dashboard.id] };
    const insight = await send<{ id: number; dashboard_tiles: { id: number }[] }>("POST", "insights/", place);
    const tiles = insight.dashboard_tiles.map(({ id }) => ({ id, color: "blue" }));
    await atOnce(
      change(`insights/${insight.id}/`, { dashboards: [] }),
      change(`dashboards/${dashboard.id}/`, { tiles }),
    );
    expect(await send<object>("GET", `insights/${insight.id}/`)).toMatchObject({ dashboards: [] });
  });

  test.each<[string, (dashboardId: number) => [string, string, object]]>([
    ["copies its dashboard", (id) => ["POST", "dashboards/", { use_dashboard: id }]],
    ["deletes its dashboard", (id) => ["PATCH", `dashboards/${id}/`, { deleted: true, delete_insights: true }]],
  ])("one that %s does not take the new name of an insight back", async (_, wish) => {
    const { id: dashboardId } = await send<{ id: number }>("POST", "dashboards/", MADE);
    const { id } = await send<{ id: number }>("POST", "insights/", { ...MADE, dashboards: [dashboardId] });
    const [method, path, body] = wish(dashboardId);
    await atOnce(change(`insights/${id}/`, { name: "new" }), () => server.send(method, HERE + path, { body }));
    expect(await send<object>("PATCH", `insights/${id}/`, { deleted: false })).toMatchObject({ name: "new" });
  });

  const TREND = { kind: "TrendsQuery", series: [{ kind: "EventsNode", event: "a" }] };
  /** Makes what a body asks for; gives the request for one more. */
  const fill = async (path: string, body: object, count: number) => {
    for (let i = 0; i < count; i++) await send("POST", path, body);
    return [HERE + path, body] as const;
  };
  test.each<[string, number, () => Promise<readonly [string, object]>]>([
    ["key", 400, async () => ["/api/personal_api_keys/", { label: "own", scopes: ["*"] }]],
    [
      "download",
      429,
      () => {
        const interval = { data_interval_start: "2026-01-01T00:00:00Z", data_interval_end: "2026-01-02T00:00:00Z" };
        return fill("file_download_batch_exports/", { file: {}, model: "events", ...interval }, 9);
      },
    ],
    [
      "backfill",
      429,
      async () => {
        const destination = { type: "Folder", config: { path: "mine" } };
        const { id } = await send<{ id: string }>("POST", "batch_exports/", { ...MADE, destination, interval: "hour" });
        const range = { start_at: null, end_at: "2026-01-02T00:00:00Z" };
        return fill(`batch_exports/${id}/backfills/`, range, 9);
      },
    ],
    [
      "alert",
      400,
      async () => {
        const { id: insight } = await send<{ id: number }>("POST", "insights/", { ...MADE, query: TREND });
        const threshold = { configuration: { type: "absolute", bounds: { upper: 1 } } };
        await server.db.write(async (tx) => {
          const copied = { ...blankAlert(1, server.nowMs), insightId: insight };
          for (let i = 0; i < 499; i++) await createAlert(tx, { ...copied, id: crypto.randomUUID() });
        });
        return [`${HERE}alerts/`, { insight, condition: { type: "absolute_value" }, threshold }];
      },
    ],
    [
      "subscription",
      400,
      async () => {
        const { id: insight } = await send<{ id: number }>("POST", "insights/", { ...MADE, query: TREND });
        const target = { target_type: "email", target_value: "ada@example.com" };
        const body = { insight, ...target, frequency: "daily", start_date: "2026-01-01T09:00:00Z" };
        const { id } = await send<{ id: number }>("POST", "subscriptions/", body);
        await server.db.write(async (tx) => {
          const copied = await findSubscription(tx, 1, id);
          for (let i = 1; i < 499; i++) await createSubscription(tx, copied!);
        });
        return [`${HERE}subscriptions/`, body];
      },
    ],
  ])("one alone is the last %s that there is room for", async (_, refused, wish) => {
    const [path, body] = await wish();
    const make = () => server.send("POST", path, { body });
    const [first, second] = await atOnce(make, make);
    expect(first!.status).toBeLessThan(300);
    expect(second!.status).toBe(refused);
  });

  test("who sets a password by a link does not take the new name of its user back", async () => {
    const path = `/api/setup/${await linkOf(server)}/`;
    const setUp = () => new Browser(server).send("POST", path, { password: PASSWORD });
    const rename = () => server.send("PATCH", "/api/users/@me/", { body: { first_name: "Ada" } });
    expect((await atOnce(rename, setUp)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await server.send("GET", "/api/users/@me/")).json).toMatchObject({ first_name: "Ada" });
  });

  test("one member alone gets an address of e-mail", async () => {
    const members = [await join(server), await join(server)];
    const wish = { email: "wanted@example.com", current_password: PASSWORD };
    const replies = await atOnce(
      ...members.map(
        ({ browser }) =>
          () =>
            browser.send("PATCH", "/api/users/@me/", wish),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 400]);
    expect(replies[1]!.json).toMatchObject({ attr: "email", code: "unique" });
  });
});
