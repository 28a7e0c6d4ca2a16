import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ManageServer, type Reply, startManage } from "../support/manage.ts";
import { findPostgres } from "../support/postgres.ts";
import { untilWaiting } from "../support/stores.ts";
import { PASSWORD } from "./browser.ts";
import { join } from "./team.ts";

const HERE = "/api/environments/1/";

/** Of SQLite one request writes at a time. */
describe.skipIf(findPostgres() === null)("of requests at the same moment", () => {
  let server: ManageServer;
  beforeAll(async () => {
    server = await startManage({}, undefined, null, "postgres");
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
